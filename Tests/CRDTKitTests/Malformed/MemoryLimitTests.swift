import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

/// Bytes that come to many times their size once they are read.
@Suite("Limits of memory", .serialized)
struct MemoryLimitTests {
  @Test("what would exceed a limit is refused before it is there", arguments: MemoryShape.allCases)
  func refused(shape: MemoryShape) async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [shape] in
      let size = isLongRun ? 64 << 20 : 1 << 18
      // What is loaded when it is first used isn't counted.
      try? shape.decode(shape.bytes(ofSize: 1_000), maximumMemoryBytes: .max)
      let bytes = shape.bytes(ofSize: size)
      var failure: (any Error)?
      let growth = residentGrowth {
        do { try shape.decode(bytes, maximumMemoryBytes: size) } catch { failure = error }
      }
      let found = (failure as? DecodingFailure)?.reason
      expect(
        found == .memoryExceeded(max: size), "\(shape), \(bytes.count) bytes: \(found as Any)")
      // Beside what is counted there are the stack, and pages of which a part is used.
      let allowed = size + size / 10 + slack
      expect(growth ?? 0 <= allowed, "\(shape): \(growth ?? 0) of \(size) bytes")
    }
    show(result)
  }

  @Test("what is read takes no more than is counted", arguments: MemoryShape.allCases)
  func counted(shape: MemoryShape) async {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) { [shape] in
      let bytes = shape.bytes(ofSize: 1 << 17)
      // The least limit, by halves, under which it can be read.
      var (low, high) = (0, 256 * bytes.count)
      while high - low > high / 64 {
        let middle = (low + high) / 2
        do {
          try shape.decode(bytes, maximumMemoryBytes: middle)
          high = middle
        } catch { low = middle }
      }
      if (try? shape.decode(bytes, maximumMemoryBytes: high)) == nil {
        do { try shape.decode(bytes, maximumMemoryBytes: .max) } catch { expect(false, "\(error)") }
      }
      let growth = residentGrowth { try? shape.decode(bytes, maximumMemoryBytes: high) }
      expect(
        growth ?? 0 <= high + high / 10 + slack, "\(shape): \(growth ?? 0), counted \(high)")
      // Counting much more than there is would refuse what should be taken.
      print("\(shape): \(bytes.count) bytes, \(growth ?? 0) resident, \(high) counted")
      expect(
        growth.map { high <= 4 * $0 + slack } ?? true, "\(shape): \(growth ?? 0), counted \(high)")
    }
    show(result)
  }

  /// Says what a process has said is wrong.
  private func show(_ result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.isEmpty)
  }

  @Test("a limit of a session is one of memory")
  func session() throws {
    let text = String(repeating: "x", count: 63)
    var set = ORSet<String>()
    for number in 0..<2_000 { set.insert("\(text)\(number)", by: ReplicaID(1)) }
    for (limit, isTaken) in [(50_000, false), (1_000_000, true)] {
      var mine = PeerSession<ORSet<String>>(
        replica: ReplicaID(2), limits: SyncLimits(maximumMemoryBytes: limit))
      var theirs = PeerSession<ORSet<String>>(replica: ReplicaID(1))
      var value = ORSet<String>()
      var closed: [SyncFailure] = []
      var toMe = theirs.connect(set)
      var toThem = mine.connect(value)
      while !toMe.isEmpty || !toThem.isEmpty {
        let (arriving, leaving) = (toMe, toThem)
        (toMe, toThem) = ([], [])
        for case .send(let bytes) in arriving { toThem += mine.receive(bytes, into: &value) }
        for case .send(let bytes) in leaving { toMe += theirs.receive(bytes, into: &set) }
        for case .close(let failure) in toThem { closed.append(failure) }
      }
      #expect(value.isEmpty == !isTaken)
      guard !isTaken else { continue }
      guard case .malformed(let failure)? = closed.first else {
        Issue.record("closed for \(closed)")
        continue
      }
      #expect(failure.reason == .memoryExceeded(max: limit))
    }
  }

  @Test(
    "it is one of all that comes on a stream, but for what was replaced since",
    arguments: [(isNew: true, isRemoved: false), (true, true), (false, false)])
  func stream(isNew: Bool, isRemoved: Bool) throws {
    let text = String(repeating: "x", count: 63)
    let limit = 200_000
    var (value, set) = (ORSet<String>(), ORSet<String>())
    var mine = PeerSession<ORSet<String>>(
      replica: ReplicaID(2), limits: SyncLimits(maximumMemoryBytes: limit))
    var theirs = PeerSession<ORSet<String>>(replica: ReplicaID(1))
    var closed: [SyncFailure] = []
    var toMe = theirs.connect(set)
    var toThem = mine.connect(value)
    var rounds = 0
    while rounds < 200, closed.isEmpty {
      while !toMe.isEmpty || !toThem.isEmpty {
        let (arriving, leaving) = (toMe, toThem)
        (toMe, toThem) = ([], [])
        for case .send(let bytes) in arriving { toThem += mine.receive(bytes, into: &value) }
        for case .send(let bytes) in leaving { toMe += theirs.receive(bytes, into: &set) }
        for case .close(let failure) in toThem { closed.append(failure) }
      }
      rounds += 1
      if isRemoved { set.removeAll(by: ReplicaID(1)) }
      for number in 0..<50 {
        set.insert(isNew ? "\(text)\(rounds) \(number)" : "\(number)", by: ReplicaID(1))
      }
      toMe = theirs.flush(set)
    }
    guard isNew, !isRemoved else {
      #expect(closed.isEmpty && value.count == 50)
      return
    }
    guard case .malformed(let failure)? = closed.first else {
      Issue.record("closed for \(closed), after \(rounds) rounds")
      return
    }
    #expect(failure.reason == .memoryExceeded(max: limit) && rounds > 5)
  }
}

/// What the system and the allocator take beside.
private let slack = 4 << 20

/// Says what isn't so.
private func expect(_ isSo: Bool, _ message: String) {
  if !isSo { FileHandle.standardError.write(Data("\(message)\n".utf8)) }
}
