import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// Readers beside writers, for the thread sanitizer above all.
///
/// Readers have threads of their own, so that nothing but the store orders what they do
/// with what writers do. Tasks are ordered by the few threads that they take turns on,
/// which hides a missing lock.
@Suite("Threads that use a store at once")
struct ThreadsTests {
  private let stores = TestStores()

  @Test("Readers that never wait see whole commits, each no older than the last")
  func readers() async throws {
    let store = try await stores.openCards()
    try await store.write { transaction in
      try transaction.create(Card(id: "a"))
      try transaction.create(Card(id: "b"))
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<2 {
        group.addTask { try await Self.write(200, to: store) }
        group.addTask { await Self.read(store) { Self.likes($0.document) } }
        group.addTask { await Self.read(store) { $0.all(Card.self).map(\.likes) } }
        group.addTask {
          await Self.read(store) { store in [(try? store.draft(Card.self, "a").base.likes) ?? -1] }
        }
      }
      try await group.waitForAll()
    }
    #expect(store.all(Card.self).map(\.likes) == [400, 400])
  }

  private static func write(_ count: Int, to store: Store) async throws {
    for number in 1...count {
      try await store.write(number % 20 == 0 ? .full : .relaxed) { transaction in
        try transaction.update(Card.self, "a") { $0.likes += 1 }
        try transaction.update(Card.self, "b") { $0.likes += 1 }
      }
    }
  }

  private static func read(
    _ store: Store, _ likes: @escaping @Sendable (Store) -> [Int]
  ) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        check(store, likes)
        continuation.resume()
      }
    }
  }

  private static func check(_ store: Store, _ likes: (Store) -> [Int]) {
    var last = 0
    for _ in 0..<200 {
      let seen = likes(store)
      #expect(Set(seen).count == 1 && seen[0] >= last, "\(seen) after \(last)")
      last = seen.first ?? last
    }
  }

  private static func likes(_ document: Document) -> [Int] {
    ["a", "b"].map { name in
      guard case .int(let likes)? = document.value(of: "likes", of: name, in: "cards") else {
        return -1
      }
      return Int(likes)
    }
  }
}
