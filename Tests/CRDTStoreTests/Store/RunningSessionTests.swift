import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("A session that runs over a stream")
struct RunningSessionTests {
  /// Bytes without end, counted as they are asked for.
  private struct Endless: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let asked: Locked<Int>

    func makeAsyncIterator() -> Endless { self }

    mutating func next() async -> [UInt8]? {
      asked.withLock { $0 += 1 }
      await Task.yield()
      return Task.isCancelled ? nil : [UInt8](repeating: 0, count: 65)
    }
  }

  @Test("asks for no more than may be under way while what it sends stands still")
  func standstill() async throws {
    var options = Store.Options()
    options.fileSystem = SimulatedFileSystem()
    let store = try await Store.open(at: "/store", options: options)
    let (asked, gate) = (Locked(0), Gate())
    let limits = SyncLimits(windowBytes: 1_000, maximumReplicas: 10)
    // Each piece has 65 bytes, and 4,640 may wait.
    let most = 4_640 / 65 + 1
    let running = Task {
      try await store.session(limits: limits).run(receiving: Endless(asked: asked)) { _ in
        await gate.wait()
      }
    }
    while asked.withLock({ $0 }) < most { await Task.yield() }
    for _ in 0..<10_000 { await Task.yield() }
    #expect(asked.withLock { $0 } == most)
    gate.open()
    // It goes on, and finds that what has come is no peer's.
    await #expect(throws: SyncFailure.self) { try await running.value }
  }

  @Test("ends with an error if the stream ends before the peer has greeted")
  func earlyEnd() async throws {
    let stores = TestStores()
    let (store, peer) = (try await stores.openForTasks("/a"), try await stores.openForTasks("/b"))
    await #expect(throws: SyncFailure.notAPeer) {
      try await store.session().run(receiving: AsyncStream { $0.finish() }) { _ in }
    }
    let greeting = try await peer.session().connect().flatMap { action -> [UInt8] in
      if case .send(let bytes) = action { bytes } else { [] }
    }
    let stream = AsyncStream { line in
      line.yield(greeting)
      line.finish()
    }
    try await store.session().run(receiving: stream) { _ in }
  }
}
