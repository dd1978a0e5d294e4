import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// An app, a server and another client of it, to which things happen at random.
final class OutboxStorm {
  private var app: Scenario
  private var random: SeededGenerator
  /// What was done, for whoever looks for the fault.
  private(set) var log: [String] = []
  /// What must be counted in the end.
  private var likes: [String: Int64] = [:]
  /// What must be among the elements in the end.
  private var tags: [String: Set<String>] = [:]
  /// What may be among the elements or not: a refused operation about it was taken back.
  private var doubtful: [String: Set<Document.Value>] = [:]
  /// Which values must stand in the end.
  private var model: StormModel
  /// What was told of what was done.
  private var receipts: [Store.Receipt] = []
  private var number = 0

  /// Notes that are never deleted.
  private static let lasting = ["a", "b"]
  private static let passing = ["x", "y", "z"]

  private init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    let times = ReferenceServer.Times.allCases[Int(seed % 3)]
    model = StormModel(times: times)
    app = try await Scenario()
    await app.serverSays(times)
    log.append("the server says the times: \(times)")
  }

  /// Lets so many things happen, then heals all; says what is wrong, `nil` if nothing is.
  static func run(seed: UInt64, steps: Int) async throws -> String? {
    let storm = try await OutboxStorm(seed: seed)
    var wrong: String?
    do {
      for _ in 0..<steps {
        try await storm.step()
        await storm.observe()
      }
      wrong = try await storm.ending()
    } catch {
      wrong = "\(error)"
    }
    guard let wrong else { return nil }
    return "seed \(seed), \(steps) steps: \(wrong)\n" + storm.log.joined(separator: "\n")
  }

  private func ending() async throws -> String? {
    if let left = try await app.heal({ log.append($0) }) { return left }
    let records =
      (Self.lasting + Self.passing).map { Document.RecordID($0, in: "notes") }
      + Self.passing.map { Document.RecordID($0, in: "tasks") }
    if let wrong = await app.discrepancy(of: records) { return wrong }
    await observe()
    if let wrong = await wrongReceipt() { return wrong }
    for name in Self.lasting {
      let fields = app.local(ScenarioNote.self, name)
      if let wrong = model.problem(of: name, fields ?? [:]) { return wrong }
      if let wanted = likes[name], fields?["likes"] != .int(wanted) {
        return "\(name) has \(String(describing: fields?["likes"])) likes, not \(wanted)"
      }
      guard let wanted = tags[name] else { continue }
      let all = Set(wanted.map { Document.Value.string($0) })
      guard case .array(let elements)? = fields?["tags"],
        all.symmetricDifference(elements).isSubset(of: doubtful[name] ?? [])
      else {
        return "\(name) has the tags \(String(describing: fields?["tags"])), not \(wanted)"
      }
    }
    return nil
  }
}

extension OutboxStorm {
  /// Looks at what the server has done.
  private func observe() async {
    let service = await app.transport.service
    model.observe(service.server.effects)
  }

  /// What a receipt says that isn't so.
  private func wrongReceipt() async -> String? {
    let service = await app.transport.service
    let done = Set(service.server.effects.map(\.id))
    for receipt in receipts {
      let delivery = app.store.delivery(of: receipt, to: .server)
      switch delivery {
      case .delivered:
        if let id = receipt.operations.first(where: { !done.contains($0) }) {
          return "\(id) is said to be delivered, and was never done"
        }
      case .superseded, .discarded: break
      case .pending, .refused, .unknown: return "\(receipt.operations) is \(delivery) in the end"
      }
    }
    return nil
  }

  private func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &random)]
  }

  private func step() async throws {
    number += 1
    // No two things happen at once.
    app.pass(10)
    switch Int.random(in: 0..<30, using: &random) {
    case 0..<9: try await editLasting()
    case 9..<12: try await editPassing()
    case 12..<14: try await editTask()
    case 14..<18: await editAtServer()
    case 18..<22:
      let report = await app.outbox.sync()
      log.append("sync: \(report.accepted) accepted, \(report.conflicts) conflicts")
    case 22:
      log.append("drain: \(await app.outbox.drain().accepted) accepted")
    case 23:
      log.append("pull: \(await app.outbox.pull().changed) changed")
    case 24..<27: await trouble()
    case 27:
      log.append("kill")
      app = try await app.killed()
    case 28:
      let span = UInt64.random(in: 1...40_000, using: &random)
      app.pass(span)
      log.append("\(span) ms pass")
    default: try await handle()
    }
    if app.store.document.conflicts.count > 3 { try await settle() }
  }

  /// Counts, tags and names a note that is never deleted.
  private func editLasting() async throws {
    let name = pick(Self.lasting)
    let (step, choice) = (number, Int.random(in: 0..<6, using: &random))
    let amount = Int.random(in: -2...5, using: &random)
    let tag = "t\(Int.random(in: 0..<4, using: &random))"
    log.append("edit \(name): \(choice), \(amount), \(tag), '\(step)'")

    let shown = app.local(ScenarioNote.self, name)
    let receipt = try await app.store.write { tx in
      if try tx.get(ScenarioNote.self, name) == nil { try tx.create(ScenarioNote(id: name)) }
      try tx.update(ScenarioNote.self, name) { note in
        switch choice {
        case 0: note.likes += amount
        case 1: note.tags.insert(tag)
        case 2: note.tags.remove(tag)
        case 3: note.title = "\(step)"
        case 4: note.body = "\(step)"
        default:
          note.stage = "\(step)"
          note.nickname = "\(step)"
          note.likes += amount
        }
      }
    }
    receipts.append(receipt)
    let written = choice == 3 ? ["title"] : choice == 5 ? ["stage", "nickname"] : []
    for field in written {
      model.write(
        .string("\(step)"), to: field, of: name, over: shown?[field],
        by: receipt.operations.first)
    }
    if likes[name] == nil { (likes[name], tags[name]) = (0, []) }
    if choice == 0 || choice == 5 { likes[name, default: 0] += Int64(amount) }
    if choice == 1 { tags[name]?.insert(tag) }
    if choice == 2 { tags[name]?.remove(tag) }
  }

  private func editPassing() async throws {
    let name = pick(Self.passing)
    let (step, choice) = (number, Int.random(in: 0..<4, using: &random))
    log.append("edit \(name): \(choice), '\(step)'")
    try await app.store.write { tx in
      guard try tx.get(ScenarioNote.self, name) != nil else {
        return try tx.create(ScenarioNote(id: name, title: "new \(step)", likes: 1))
      }
      switch choice {
      case 0: try tx.delete(ScenarioNote.self, name)
      case 1: try tx.update(ScenarioNote.self, name) { $0.likes += 1 }
      default: try tx.update(ScenarioNote.self, name) { $0.title = "\(step)" }
      }
    }
  }

  private func editTask() async throws {
    let name = pick(Self.passing)
    let (step, isDeleted) = (number, Int.random(in: 0..<3, using: &random) == 0)
    log.append("task \(name): \(isDeleted ? "delete" : "'\(step)'")")
    try await app.store.write { tx in
      guard try tx.get(ScenarioTask.self, name) != nil else {
        return try tx.create(ScenarioTask(id: name, text: "new \(step)"))
      }
      if isDeleted { return try tx.delete(ScenarioTask.self, name) }
      try tx.update(ScenarioTask.self, name) { $0.text = "\(step)" }
    }
  }

  /// Another client changes a record at the server.
  private func editAtServer() async {
    let service = await app.transport.service
    let record =
      Bool.random(using: &random)
      ? Document.RecordID(pick(Self.lasting + Self.passing), in: "notes")
      : Document.RecordID(pick(Self.passing), in: "tasks")
    guard let known = service.server.record(record) else { return }
    let isLasting = record.collection == "notes" && Self.lasting.contains(record.record)
    if known.isDeleted { return }
    if !isLasting, Int.random(in: 0..<4, using: &random) == 0 {
      log.append("\(record) is deleted at the server")
      return await app.server { $0.server.edit(record, [:], isDeleted: true) }
    }
    var fields: [String: Document.Value] = [:]
    let field = pick(["title", "body", "stage", "nickname", "likes"])
    if record.collection == "tasks" {
      fields["text"] = .string("server \(number)")
    } else if field == "likes" {
      guard case .int(let count)? = known.fields["likes"] else { return }
      fields["likes"] = .int(count + 10)
      if isLasting { likes[record.record, default: 0] += 10 }
    } else {
      fields[field] = .string("server \(number)")
    }
    if isLasting {
      for (field, value) in fields { model.writeAtServer(value, to: field, of: record.record) }
    }
    log.append("\(record) at the server: \(fields)")
    await app.server { [fields] in $0.server.edit(record, fields) }
  }

  /// Something goes wrong from now on, or all goes well again.
  private func trouble() async {
    let choice = Int.random(in: 0..<8, using: &random)
    let name = pick(Self.lasting)
    log.append("trouble \(choice) \(name)")
    await app.server { service in
      switch choice {
      case 0: service.isDown = true
      case 1: service.wantsCredentials = true
      case 2: service.answersToLose += 1
      case 3: service.server.rejectedFields["title"] = "no"
      case 4: service.server.delaysLeft[Document.RecordID(name, in: "notes")] = 2
      case 5: service.failures.append(RemoteError(.serverRejected, "too busy"))
      default:
        service.isDown = false
        service.wantsCredentials = false
        service.server.rejectedFields = [:]
      }
    }
    if choice > 5 {
      app.outbox.credentialsRenewed()
      app.outbox.retryWaiting()
    }
  }

  /// The user looks after what was refused or is in conflict.
  private func handle() async throws {
    if Bool.random(using: &random) { return try await settle() }
    let letters = app.outbox.deadLetters
    guard !letters.isEmpty else { return }
    let letter = pick(letters)
    let name = letter.record.record
    let isLasting = letter.record.collection == "notes" && Self.lasting.contains(name)
    guard letter.kind == .update, Bool.random(using: &random) else {
      log.append("retry \(letter.id)")
      return try await app.outbox.retry(letter.id)
    }
    log.append("discard \(letter.id)")
    _ = try await app.outbox.discard(letter.id, revertingChanges: true)
    guard isLasting else { return }
    model.discard(letter)
    doubt(letter)
    for case .increment(let amount) in letter.changes.map(\.change) {
      likes[name, default: 0] -= amount
    }
  }

  /// Notes that nobody is sure any more of what an operation does to elements.
  private func doubt(_ operation: Outbox.Operation) {
    for change in operation.changes {
      switch change.change {
      case .insert(let elements), .take(let elements):
        doubtful[operation.record.record, default: []].formUnion(elements)
      case .assign, .remove, .increment: break
      }
    }
  }

  private func settle() async throws {
    for conflict in app.store.document.conflicts {
      log.append("resolve \(conflict.path) of \(conflict.record)")
      _ = try await app.store.resolve(conflict, with: pick(conflict.sides).value)
    }
  }
}
