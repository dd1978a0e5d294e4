import CRDTKit
import CRDTStore
import CRDTTestSupport
import Testing

@Suite("Commits that are undone one after the other, the latest first")
struct UndoStackTests {
  let stores = TestStores()

  /// A record's states, each made from the one before by a commit.
  private static let states = [
    Card(id: "a", title: "0"),
    Card(id: "a", title: "1", tags: ["x"]),
    Card(id: "a", title: "2", tags: ["x", "y"], rooms: ["r": .init(city: "hall", floor: 1)]),
    Card(id: "a", title: "2", tags: ["y"], rooms: ["r": .init(city: "loft", floor: 1)]),
    Card(id: "a", title: "1", likes: 3, rooms: [:]),
    Card(id: "a", title: "2", tags: ["x"], likes: 1, rooms: ["r": .init(city: "hall", floor: 2)]),
  ]

  @Test(
    "Each step shows what was there before its commit, and back again",
    arguments: [false, true])
  func steps(isReopened: Bool) async throws {
    var store = try await stores.openCards()
    var undos: [Store.Receipt] = []
    for (place, state) in Self.states.enumerated() {
      undos.append(
        try await store.write { transaction in
          if place == 0 { return try transaction.create(state) }
          try transaction.update(Card.self, "a") { $0 = state }
        })
    }
    for _ in 0..<3 {
      var redos: [Store.Receipt] = []
      for place in Self.states.indices.dropFirst().reversed() {
        redos.append(try await store.undo(undos[place]))
        #expect(redos.last?.omissions == [])
        #expect(try store.get(Card.self, "a") == Self.states[place - 1])
        guard isReopened else { continue }
        try await store.close()
        store = try await stores.openCards()
      }
      for place in Self.states.indices.dropFirst() {
        undos[place] = try await store.undo(redos.removeLast())
        #expect(undos[place].omissions == [])
        #expect(try store.get(Card.self, "a") == Self.states[place])
      }
    }
    try await store.close()
  }

  @Test("One transaction undoes several commits")
  func together() async throws {
    let store = try await stores.openCards()
    let receipts = try await Self.states.enumerated().asyncMap { place, state in
      try await store.write { transaction in
        if place == 0 { return try transaction.create(state) }
        try transaction.update(Card.self, "a") { $0 = state }
      }
    }
    let undoing = try await store.write { transaction in
      for receipt in receipts.dropFirst().reversed() { try transaction.undo(receipt) }
    }
    #expect(undoing.omissions == [])
    #expect(try store.get(Card.self, "a") == Self.states[0])
    try await store.close()
  }

  @Test("An equal value that was written in between stays")
  func equalValue() async throws {
    let store = try await stores.openCards()
    try await store.write { try $0.create(Card(id: "a", title: "0")) }
    var receipts: [Store.Receipt] = []
    for title in ["1", "2", "1", "3"] {
      receipts.append(
        try await store.write { try $0.update(Card.self, "a") { $0.title = title } })
    }
    try await store.undo(receipts[3])
    let undoing = try await store.undo(receipts[0])
    #expect(undoing.omissions.map(\.reason) == [.changedSince])
    #expect(try store.get(Card.self, "a")?.title == "1")
    try await store.close()
  }
}

extension Sequence {
  fileprivate func asyncMap<Result>(
    _ transform: (Element) async throws -> Result
  ) async rethrows -> [Result] {
    var results: [Result] = []
    for element in self { results.append(try await transform(element)) }
    return results
  }
}
