import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What readers see, and what is acknowledged, while the disk is at work.
@Suite("Commits that wait for the disk")
struct VisibilityTests {
  /// A disk that waits before each synchronization until it is let go on.
  private final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true
    private var allowed = 0
    private var arrived = 0

    func pass() {
      condition.lock()
      defer { condition.unlock() }
      arrived += 1
      condition.broadcast()
      while !isOpen, allowed == 0 { condition.wait() }
      if !isOpen { allowed -= 1 }
    }

    func shut() {
      condition.lock()
      defer { condition.unlock() }
      (isOpen, allowed, arrived) = (false, 0, 0)
    }

    func letOnePass() {
      condition.lock()
      defer { condition.unlock() }
      allowed += 1
      condition.broadcast()
    }

    func open() {
      condition.lock()
      defer { condition.unlock() }
      isOpen = true
      condition.broadcast()
    }

    /// Whether so many synchronizations have begun, within ten seconds.
    func waitUntilArrived(_ count: Int) -> Bool {
      condition.lock()
      defer { condition.unlock() }
      let end = Date(timeIntervalSinceNow: 10)
      while arrived < count { if !condition.wait(until: end) { return false } }
      return true
    }
  }

  private let files = SimulatedFileSystem()
  private let gate = Gate()

  private func open() throws -> Store {
    var options = Store.Options()
    let gate = gate
    options.fileSystem = GatedFileSystem(base: files) { gate.pass() }
    options.compaction = .manual
    return try Store.open(at: "/s", options: options)
  }

  /// Runs a body on a thread of its own; the semaphore tells of its end.
  private func start(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    return done
  }

  @Test("A full commit is seen when it is durable, also after a relaxed one")
  func fullAfterRelaxed() throws {
    let store = try open()
    gate.shut()
    try store.edit(.relaxed) { $0.set("relaxed", of: "r", in: "c", to: 1) }
    #expect(gate.waitUntilArrived(1))
    // The relaxed one is being written; the full one comes meanwhile.
    let done = start { _ = try? store.edit { $0.set("full", of: "r", in: "c", to: 1) } }
    while store.statistics.commits < 2 { usleep(1_000) }
    #expect(store.document.value(of: "full", of: "r", in: "c") == nil)
    gate.letOnePass()
    #expect(gate.waitUntilArrived(2))
    #expect(store.document.value(of: "relaxed", of: "r", in: "c") == 1)
    #expect(store.document.value(of: "full", of: "r", in: "c") == nil, "seen before it is durable")
    gate.open()
    done.wait()
    #expect(store.document.value(of: "full", of: "r", in: "c") == 1)
    try store.close()
  }

  @Test("A full commit that can't be written is never seen")
  func failedAfterRelaxed() throws {
    let store = try open()
    gate.shut()
    try store.edit(.relaxed) { $0.set("relaxed", of: "r", in: "c", to: 1) }
    #expect(gate.waitUntilArrived(1))
    let done = start { _ = try? store.edit { $0.set("full", of: "r", in: "c", to: 1) } }
    while store.statistics.commits < 2 { usleep(1_000) }
    files.schedule(DiskFault(.fails(5), kind: .synchronize, number: 2))
    gate.open()
    done.wait()
    #expect(store.document.value(of: "full", of: "r", in: "c") == nil)
    #expect(throws: StoreError.self) { try store.edit { $0.set("x", of: "r", in: "c", to: 1) } }
    #expect(throws: StoreError.self) { try store.close() }
  }

  @Test("A setting is seen when it is durable, as records are")
  func settings() throws {
    let store = try open()
    try store.write { try $0.set(setting: "old", to: 1) }
    gate.shut()
    try store.write(.relaxed) { try $0.set(setting: "relaxed", to: 1) }
    #expect(store.setting("relaxed") == 1)
    #expect(gate.waitUntilArrived(1))
    let done = start {
      _ = try? store.write { tx in
        try tx.set(setting: "full", to: 1)
        try tx.set(setting: "old", to: nil)
      }
    }
    while store.statistics.commits < 3 { usleep(1_000) }
    #expect(store.setting("relaxed") == 1 && store.setting("full") == nil)
    gate.letOnePass()
    #expect(gate.waitUntilArrived(2))
    #expect(store.setting("full") == nil && store.setting("old") == 1, "seen before it is durable")
    gate.open()
    done.wait()
    #expect(store.setting("full") == 1 && store.setting("old") == nil)
    try store.close()
  }

  @Test("A task's commit that can't be written is not acknowledged")
  func failedInTask() async throws {
    var options = Store.Options()
    options.fileSystem = files
    options.compaction = .manual
    let store = try await Store.open(at: "/s", options: options)
    files.schedule(DiskFault(.fails(5), kind: .synchronize, isForever: true))
    await #expect(throws: StoreError.self) {
      try await store.edit { $0.set("a", of: "r", in: "c", to: 1) }
    }
    #expect(store.document.value(of: "a", of: "r", in: "c") == nil)
    await #expect(throws: StoreError.self) { try await store.close() }
  }

  @Test("A delta is acknowledged when it is durable, whoever brought it first")
  func deltaTwice() throws {
    let store = try open()
    var other = Document()
    let stamp = HybridTimestamp(milliseconds: 1, replica: ReplicaID(9))
    let delta = other.edit(at: stamp) { $0.set("a", of: "r", in: "c", to: 1) }
    gate.shut()
    let first = start { _ = try? store.apply(delta) }
    #expect(gate.waitUntilArrived(1))
    let second = start { _ = try? store.apply(delta) }
    #expect(second.wait(timeout: .now() + 0.3) == .timedOut, "acknowledged before it is durable")
    gate.open()
    first.wait()
    try store.close()
  }

  @Test("Closing makes all that was committed durable, and waits for who commits")
  func closing() throws {
    let store = try open()
    for number in 0..<10 {
      try store.edit(.relaxed) { $0.set("a", of: "r\(number)", in: "c", to: 1) }
    }
    let document = store.document
    try store.close()
    let images = files.history.images(atCall: files.callCount, seed: 1)
    for crash in images {
      var options = Store.Options()
      options.fileSystem = SimulatedFileSystem(crash.image)
      let again = try Store.open(at: "/s", options: options)
      #expect(again.document == document)
      try again.close()
    }
  }
}
