import Foundation
import Testing

@testable import CRDTStore

/// Several who wait for one thing.
@Suite("Who waits for bytes and changes", .timeLimit(.minutes(30)))
struct WaitingTests {
  /// Lets tasks come to wait.
  private func pause() async throws {
    try await Task.sleep(for: .milliseconds(50))
  }

  @Test("Two who wait for bytes each get some, and both the end")
  func takers() async throws {
    let channel = ByteChannel(capacity: 4)
    let takers = (0..<2).map { _ in
      Task {
        var pieces: [[UInt8]] = []
        while let piece = try await channel.take() { pieces.append(piece) }
        return pieces
      }
    }
    try await pause()
    for number in 0..<6 as Range<UInt8> { try await channel.put([number, number]) }
    channel.finish()
    var all: [UInt8] = []
    for taker in takers { all += try await taker.value.flatMap { $0 } }
    #expect(all.sorted() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
  }

  @Test("Two who wait for room both get it")
  func putters() async throws {
    let channel = ByteChannel(capacity: 1)
    let putters = (0..<2).map { number in
      Task { try await channel.put(Array(repeating: UInt8(number), count: 5)) }
    }
    try await pause()
    var bytes: [UInt8] = []
    while bytes.count < 10 { bytes += try await channel.take() ?? [] }
    for putter in putters { try await putter.value }
    #expect(bytes.sorted() == [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
  }

  @Test("Two who wait for a change each get one, in turn; cancelling one leaves the other")
  func changes() async throws {
    let subscription = ChangeSubscription()
    let waiting = (0..<3).map { _ in Task { await subscription.next() != nil } }
    try await pause()
    subscription.send(Store.Change([]))
    subscription.send(Store.Change([]))
    try await pause()
    for task in waiting { task.cancel() }
    var count = 0
    for task in waiting where await task.value { count += 1 }
    #expect(count == 2)
    let other = Task { await subscription.next() != nil }
    try await pause()
    subscription.finish()
    #expect(await other.value == false)
  }

  @Test("A cancelled task gets no change, a closed store's the last ones")
  func endings() async throws {
    let subscription = ChangeSubscription()
    subscription.send(Store.Change([]))
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await subscription.next() == nil
    }
    #expect(await cancelled.value)
    subscription.finish()
    #expect(await subscription.next() != nil)
    #expect(await subscription.next() == nil)
  }
}
