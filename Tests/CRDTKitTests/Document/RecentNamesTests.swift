import CRDTStoreTesting
import Testing

@testable import CRDTKit

/// The memory of recent names, held against plain dictionaries of its slots.
@Suite("Recent names")
struct RecentNamesTests {
  /// What the memory has to hold, slot by slot.
  private struct Model {
    var names: [Int: String] = [:]
    var places: [Int: String] = [:]
    var last = ""

    /// Notes a name, and returns whether its slot had it.
    mutating func note(_ name: String, in slot: Int) -> Bool {
      if name.utf8.elementsEqual((names[slot] ?? "").utf8) { return true }
      names[slot] = name
      last = name
      return false
    }
  }

  /// More names than there are slots, so that they drive each other out; among them the empty
  /// name, and some that are equal but spelled otherwise.
  private static let names: [String] =
    ["", "é", "e\u{301}", "k\u{212A}", "kK", String(repeating: "n", count: 200)]
    + (0..<4_000).map { "name\($0)" }

  private func place(_ name: String) -> Document.Place {
    Document.Place(record: name, in: "things")
  }

  @Test("a memory holds what dictionaries of its slots hold", arguments: 0..<8 as Range<UInt64>)
  func slots(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (memory, model) = (RecentNames(), Model())
    /// Copies that were made meanwhile, which nothing may change.
    var copies: [(RecentNames, Model)] = []
    // Deltas use few names, so few slots; states use many.
    let count = seed.isMultiple(of: 2) ? 40 : Self.names.count
    for step in 0..<4_000 {
      let name = "\(Self.names.prefix(count).randomElement(using: &random) ?? "")"
      switch Int.random(in: 0..<100, using: &random) {
      case 0 where step.isMultiple(of: 3):
        memory.forget()
        model = Model()
      case 1:
        copies.append((try #require(memory.copied() as? RecentNames), model))
      case 2 where !copies.isEmpty:
        // Going on from a copy.
        let number = Int.random(in: copies.indices, using: &random)
        swap(&copies[number].0, &memory)
        swap(&copies[number].1, &model)
      case 3..<30:
        let place = place(name)
        let slot = memory.slot(of: place)
        let isThere = model.places[slot].map { $0.utf8.elementsEqual(name.utf8) } ?? false
        #expect(memory.has(place, in: slot) == isThere)
        memory.note(place, in: slot)
        model.places[slot] = name
      default:
        let form = memory.form(of: name)
        let isThere = model.note(name, in: form.slot)
        #expect(form.isRecent == isThere, "seed \(seed), step \(step): \(name)")
        var writer = ByteWriter()
        memory.write(name, form, to: &writer)
      }
      if step.isMultiple(of: 97) { try compare(memory, model, "seed \(seed), step \(step)") }
    }
    for (memory, model) in copies + [(memory, model)] { try compare(memory, model, "seed \(seed)") }
  }

  private func compare(_ memory: RecentNames, _ model: Model, _ name: Comment) throws {
    #expect(memory.lastName.utf8.elementsEqual(model.last.utf8), name)
    let emptySlot = memory.slot(of: ""._fingerprint)
    for slot in 0..<1_100 {
      let expected = slot < 1_024 ? model.names[slot] ?? (slot == emptySlot ? "" : nil) : nil
      let held = memory.name(in: UInt64(slot))
      #expect(held.map { Array($0.utf8) } == expected.map { Array($0.utf8) }, name)
    }
    for slot in 0..<300 {
      let held = memory.place(in: UInt64(slot))
      let expected = model.places[slot].map(place)
      #expect((held == nil) == (expected == nil), name)
      if let held, let expected { #expect(held.isSpelled(as: expected), name) }
    }
  }

  @Test("a reader's memory follows a writer's", arguments: 0..<4 as Range<UInt64>)
  func readers(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (writing, reading) = (RecentNames(), RecentNames())
    for _ in 0..<200 {
      var writer = ByteWriter()
      let names = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        Self.names.randomElement(using: &random) ?? ""
      }
      var isInSlot: [Bool] = []
      for name in names {
        let form = writing.form(of: name)
        isInSlot.append(form.isRecent)
        writing.write(name, form, to: &writer)
      }
      var reader = ByteReader(writer.finish())
      for (name, isInSlot) in zip(names, isInSlot) {
        let read = try reading.readName(from: &reader, isInSlot: isInSlot)
        #expect(read.utf8.elementsEqual(name.utf8), "seed \(seed)")
      }
      #expect(reader.remaining == 0)
      if Int.random(in: 0..<20, using: &random) == 0 {
        writing.forget()
        reading.forget()
      }
    }
  }
}
