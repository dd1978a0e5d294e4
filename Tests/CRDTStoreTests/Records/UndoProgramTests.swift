import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("Random programs of undoing")
struct UndoProgramTests {
  /// A commit that was made, as the store and as the model remember it.
  private struct Made {
    var receipt: Store.Receipt
    var commit: UndoModel.Commit
    var isUndone = false
  }

  private struct Form {
    var draft: Store.Draft<Leaf>
    var seen: Set<Int>
    var births: Set<Int>
  }

  /// Stores that do what a model does, until they differ.
  private struct Run {
    let stores = TestStores()
    var random: SeededGenerator
    var open: [Store] = []
    var model: UndoModel
    var made: [[Made]]
    var forms: [Form?]
    var history: [String] = []
    var wrong: String?

    init(seed: UInt64) async throws {
      random = SeededGenerator(seed: seed)
      let count = Int.random(in: 2...3, using: &random)
      model = UndoModel(sides: count)
      made = Array(repeating: [], count: count)
      forms = Array(repeating: nil, count: count)
      for side in 0..<count { open.append(try await store(side)) }
    }

    func store(_ side: Int) async throws -> Store {
      try await Store.open(at: "/store\(side)", for: Leaf.self, options: stores.options)
    }

    mutating func step() async throws {
      let side = Int.random(in: 0..<open.count, using: &random)
      let record = Bool.random(using: &random) ? "a" : "b"
      stores.clock.milliseconds += 1
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<2: try await create(record, side)
      case 2..<9: try await update(record, side)
      case 9: try await delete(record, side)
      case 10: try await restore(record, side)
      case 11..<13: try beginForm(record, side)
      case 13..<15: try await commitForm(side)
      case 15..<20: try await undo(side)
      case 20..<23: try await meet(side)
      default: try await reopen(side)
      }
      try check(side)
    }

    mutating func create(_ record: String, _ side: Int) async throws {
      guard !model.isPresent(side, record) else { return }
      var leaf = Leaf(id: record, likes: Int.random(in: 0...2, using: &random))
      leaf.change(&random)
      let new = leaf
      history.append("\(side) creates \(new)")
      let receipt = try await open[side].write { try $0.create(new) }
      made[side].append(Made(receipt: receipt, commit: model.create(new, by: side)))
    }

    mutating func update(_ record: String, _ side: Int) async throws {
      guard let base = model.read(side, record)?.leaf else { return }
      var leaf = base
      for _ in 0..<Int.random(in: 1...2, using: &random) { leaf.change(&random) }
      let new = leaf
      history.append("\(side) updates \(base) to \(new)")
      let receipt = try await open[side].write { tx in
        try tx.update(Leaf.self, record) { $0 = new }
      }
      let (commit, _) = model.update(
        record, from: base, to: new, by: side, seen: model.sides[side].known)
      if receipt.dot != nil { made[side].append(Made(receipt: receipt, commit: commit)) }
    }

    mutating func delete(_ record: String, _ side: Int) async throws {
      guard model.isPresent(side, record) else { return }
      history.append("\(side) deletes \(record)")
      let receipt = try await open[side].write { try $0.delete(Leaf.self, record) }
      made[side].append(Made(receipt: receipt, commit: model.delete(record, by: side)))
    }

    mutating func restore(_ record: String, _ side: Int) async throws {
      guard !model.isPresent(side, record), !model.births(side, record).isEmpty else { return }
      history.append("\(side) restores \(record)")
      let receipt = try await open[side].write { try $0.restore(Leaf.self, record) }
      made[side].append(Made(receipt: receipt, commit: model.restore(record, by: side)))
    }

    mutating func beginForm(_ record: String, _ side: Int) throws {
      guard model.isPresent(side, record) else { return }
      let draft = try open[side].draft(Leaf.self, record)
      history.append("\(side) opens a form of \(draft.base)")
      forms[side] = Form(
        draft: draft, seen: model.sides[side].known, births: model.births(side, record))
    }

    mutating func commitForm(_ side: Int) async throws {
      guard let open = forms[side], model.isPresent(side, open.draft.base.id),
        !model.births(side, open.draft.base.id).isDisjoint(with: open.births)
      else { return }
      var form = open.draft
      forms[side] = nil
      form.model.change(&random)
      form.model.change(&random)
      // A form shows what is there: it makes no place, and takes none away.
      if (form.model.place == nil) != (form.base.place == nil) {
        form.model.place = form.base.place
      }
      let filled = form
      history.append("\(side) commits \(filled.base) as \(filled.model)")
      let receipt = try await self.open[side].write { try $0.commit(filled) }
      let (commit, left) = model.update(
        form.base.id, from: form.base, to: form.model, by: side, seen: open.seen, isDraft: true)
      compare(receipt, left)
      if receipt.dot != nil { made[side].append(Made(receipt: receipt, commit: commit)) }
    }

    mutating func undo(_ side: Int) async throws {
      guard !made[side].isEmpty else { return }
      let recent = max(0, made[side].count - 5)
      let place = Int.random(in: recent..<made[side].count, using: &random)
      let entry = made[side][place]
      var receipt = entry.receipt
      if Bool.random(using: &random) {
        receipt = try JSONDecoder().decode(Store.Receipt.self, from: JSONEncoder().encode(receipt))
      }
      history.append("\(side) undoes \(receipt)")
      if entry.isUndone {
        do {
          try await open[side].undo(receipt)
          wrong = "was undone twice"
        } catch let error as RecordError {
          if error != receipt.dot.map({ .undone($0) }) { throw error }
        }
        return
      }
      let undoing = try await open[side].undo(receipt)
      let (commit, left) = model.undo(entry.commit)
      compare(undoing, left)
      if undoing.dot != nil {
        made[side][place].isUndone = true
        made[side].append(Made(receipt: undoing, commit: commit))
      }
    }

    mutating func meet(_ side: Int) async throws {
      let other = (side + 1) % open.count
      history.append("\(side) meets \(other)")
      try await open[side].merge(with: open[other])
      model.meet(side, other)
      try check(other)
    }

    mutating func reopen(_ side: Int) async throws {
      history.append("\(side) is opened anew")
      try await open[side].close()
      open[side] = try await store(side)
    }

    mutating func compare(_ receipt: Store.Receipt, _ left: Set<String>) {
      let said = Set(receipt.omissions.map { $0.field?.names.first ?? "" })
      if said != left { wrong = wrong ?? "left out are \(said), not \(left)" }
    }

    mutating func check(_ side: Int) throws {
      for record in ["a", "b"] where wrong == nil {
        let (has, expected) = (try open[side].get(Leaf.self, record), model.read(side, record))
        if expected?.isReadable == false { wrong = "the model can't read \(record)" }
        if has != expected?.leaf {
          wrong = "\(side) has \(has as Any), not \(expected?.leaf as Any)"
        }
        let sides = open[side].conflicts(of: Leaf.self, record).map { conflict in
          Set(conflict.sides.map { "\($0.value)" })
        }
        let wanted = Set(model.sides(of: record, side).map { "\(Document.Value.string($0))" })
        if (sides.first ?? []) != wanted { wrong = "in conflict are \(sides), not \(wanted)" }
      }
    }
  }

  @Test("What is undone is one's own, and nothing else, as events say who wrote what")
  func programs() async throws {
    for seed in seeds(30, long: 3_000) {
      var run = try await Run(seed: seed)
      for step in 0..<40 {
        do { try await run.step() } catch { run.wrong = "\(error)" }
        guard let wrong = run.wrong else { continue }
        Issue.record(
          "seed \(seed), step \(step): \(wrong)\n\(run.history.joined(separator: "\n"))")
        return
      }
      for store in run.open { try await store.close() }
    }
  }
}

extension Leaf {
  fileprivate mutating func change(_ random: inout SeededGenerator) {
    let letter = String("uvwxyz".randomElement(using: &random) ?? "u")
    switch Int.random(in: 0..<9, using: &random) {
    case 0: title = letter
    case 1: body = letter
    case 2: best = Int.random(in: 0...9, using: &random)
    case 3: likes += [-2, -1, 1, 2].randomElement(using: &random) ?? 1
    case 4: tags.formSymmetricDifference([letter])
    case 5, 6:
      let zip = Bool.random(using: &random) ? 1 : nil
      place = place == nil ? Spot(city: letter, zip: zip) : nil
    case 7: place?.city = letter
    default:
      let zip = place?.zip == nil ? Int.random(in: 1...9, using: &random) : nil
      place?.zip = zip
    }
  }
}
