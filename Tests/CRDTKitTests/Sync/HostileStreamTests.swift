import CRDTKit
import CRDTTestSupport
import Testing

/// Streams that are well formed, frame by frame, and break the protocol.
@Suite("Peer session: hostile streams")
struct HostileStreamTests {
  let phone = ReplicaID(1)
  let stranger = ReplicaID(66)
  let counterMax: UInt64 = 1 << 48 - 1

  /// One who has something to send, in several windows.
  func victim() -> Peer<ORSet<String>> {
    var value: ORSet<String> = ORSet()
    for number in 0..<80 { value.insert("\(number * 7_919)", by: phone) }
    let limits = SyncLimits(
      maximumFrameBytes: 64, windowBytes: 150, maximumTransferBytes: 10_000, maximumReplicas: 50)
    return Peer(value, as: phone, limits: limits)
  }

  /// Lets the victim take a stream; it must close for a reason, say so, and be
  /// able to work with an honest peer after that.
  func expect(
    _ kind: SyncFailure.Kind, _ name: Comment, learns: Int = 0,
    location: SourceLocation = #_sourceLocation, _ forge: (inout ForgedStream) -> Void
  ) {
    var stream = ForgedStream()
    forge(&stream)
    for chunk in [stream.bytes.count, 1] {
      var side = victim()
      let original = side.value
      side.connect()
      side.outbox = []
      var rest = stream.bytes[...]
      while !rest.isEmpty {
        side.receive(Array(rest.prefix(chunk)))
        rest = rest.dropFirst(chunk)
      }
      #expect(side.failure?.kind == kind, name, sourceLocation: location)
      #expect(side.learnedCount == learns, name, sourceLocation: location)
      let last = try? ForgedStream.frames(of: side.outbox).last
      let farewell = kind == .endedByPeer ? nil : kind.rawValue
      #expect(farewell == nil || last?.kind == 8, name, sourceLocation: location)
      #expect(farewell == nil || last?.body == [farewell ?? 0], name, sourceLocation: location)
      let sent = side.outbox.count
      side.receive(stream.bytes)
      #expect(side.outbox.count == sent, "bytes after the end are passed over")
      side.value._table.checkEveryInvariant()
      if learns == 0 { #expect(side.value.encoded() == original.encoded(), name) }
      var wire = Wire(side, Peer(ORSet<String>(), as: ReplicaID(2)))
      wire.sync()
      #expect(wire.discrepancy() == nil, name, sourceLocation: location)
    }
  }

  @Test("hellos that say nothing good") func hellos() {
    expect(.notAPeer, "another protocol") { $0.raw(Array("HTTP/1.1 400 Bad Request".utf8)) }
    expect(.notAPeer, "another magic") { $0.hello(magic: [0xC4, 0xD7, 0x70, 0x74]) }
    expect(.notAPeer, "an empty frame") { $0.frame(1, []) }
    expect(.notAPeer, "a kind that no version has") { $0.frame(99, []) }
    expect(.malformed, "magic and nothing else") { $0.frame(1, [0xC4, 0xD7, 0x70, 0x73]) }
    expect(.noCommonVersion, "newer versions") { $0.hello(versions: [3, 9]) }
    expect(.noCommonVersion, "older versions") { $0.hello(versions: [0, 0]) }
    expect(.violation, "no versions") { $0.hello(versions: [3, 1]) }
    expect(.unsupportedFormat, "another format") { $0.hello(format: 1) }
    expect(.typeMismatch, "another type") { $0.hello(typeCode: [36, 12]) }
    expect(.typeMismatch, "no type") { $0.hello(typeCode: []) }
    expect(.malformed, "no window") { $0.hello(window: 0) }
    expect(.malformed, "a third way to have a partial transfer") { $0.hello(partial: [2]) }
    expect(.malformed, "more than all of a transfer") {
      $0.hello(partial: [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9])
    }
    expect(.violation, "two of them") {
      $0.hello()
      $0.hello()
    }
    expect(.violation, "data before it") { $0.frame(5, [1]) }
    expect(.violation, "more of it before it") { $0.frame(2, [1]) }
    expect(.endedByPeer, "only a goodbye") { $0.frame(8, [13]) }
  }

  @Test("versions that are too long, out of order, out of bounds, or never end")
  func versions() {
    for count in [51, 1 << 20, 1 << 62, UInt64.max] {
      expect(.tooManyReplicas, "\(count) replicas") { $0.hello(count: count) }
    }
    expect(.malformed, "out of order") {
      $0.hello(count: 2) { writer in
        writer.write(announced: ReplicaID(5), seen: 1)
        writer.write(announced: ReplicaID(4), seen: 1)
      }
    }
    expect(.malformed, "no events") {
      $0.hello(count: 1) { $0.write(announced: stranger, seen: 0) }
    }
    expect(.malformed, "beyond the greatest counter") {
      $0.hello(count: 1) { $0.write(announced: stranger, seen: counterMax + 1) }
    }
    expect(.malformed, "more than announced") {
      $0.hello(count: 1) { writer in
        for name in 5...6 { writer.write(announced: ReplicaID(UInt64(name)), seen: 1) }
      }
    }
    expect(.malformed, "half a replica") { $0.hello(count: 1) { $0.write([1, 2, 3]) } }
    expect(.violation, "frames that bring nothing") {
      $0.hello(count: 2)
      $0.frame(2, [])
    }
    expect(.violation, "something else amid it") {
      $0.hello(count: 2)
      $0.transfer([1])
    }
    expect(.violation, "more when it was whole") {
      $0.hello()
      $0.frame(2) { $0.write(announced: ReplicaID(7), seen: 1) }
    }
    expect(.violation, "asking again and again, more often than for forks") { stream in
      stream.hello()
      for _ in 0..<18 { stream.frame(3, [0]) }
    }
    expect(.tooManyReplicas, "asking again with many replicas") {
      $0.hello()
      $0.frame(3, [51])
    }
  }

  @Test("frames of no kind, of no length, and with more than belongs in them") func frames() {
    expect(.violation, "an unknown kind") {
      $0.hello()
      $0.frame(9, [])
    }
    expect(.violation, "longer than frames may be") {
      $0.hello()
      $0.raw([0x01, 0x00, 0x01, 0xA5])
    }
    expect(.damaged, "a length that its check does not fit") {
      $0.hello()
      $0.raw([0x01, 0x00, 0x00, 0xA5])
    }
    for kind in [4, 6, 7] as [UInt8] {
      expect(.malformed, "kind \(kind) with nothing in it") {
        $0.hello()
        $0.frame(kind, [])
      }
      expect(.malformed, "kind \(kind) with a lot in it") {
        $0.hello()
        $0.frame(kind, Array(repeating: 7, count: 60))
      }
    }
    for body in [[], [0], [200], [1, 2, 3]] as [[UInt8]] {
      expect(.endedByPeer, "goodbye for \(body)") {
        $0.hello()
        $0.frame(8, body)
      }
    }
  }

  @Test("a peer that claims more of our own events than we have") func ownEvents() {
    var stream = ForgedStream()
    stream.hello(count: 1) { $0.write(announced: phone, seen: counterMax) }
    var side = victim()
    side.connect()
    side.receive(stream.bytes)
    #expect(side.replicaRequests == 1 && side.failure == nil)
    #expect(!side.isSynchronized)
  }

  @Test("a flood of claims takes no memory to speak of") func memory() async {
    await #expect(processExitsWith: .success) {
      let before = memoryPeak()
      for count in [1 << 16, 1 << 40] as [UInt64] {
        for total in [1 << 28, 1 << 62] as [UInt64] {
          var stream = ForgedStream()
          stream.hello(count: count)
          for start in stride(from: 0 as UInt64, to: 1 << 14, by: 2_000) {
            stream.frame(2) { writer in
              for name in start..<start + 2_000 {
                writer.write(announced: ReplicaID(name), seen: 1 << 48 - 1)
              }
            }
          }
          var side = Peer(ORSet<String>(), as: ReplicaID(1))
          side.connect()
          side.receive(stream.bytes)
          stream = ForgedStream()
          stream.hello()
          stream.offer(digest: 1, total: total)
          stream.frame(5, Array(repeating: 0, count: 1_000))
          for _ in 0..<100 {
            side.connect()
            side.receive(stream.bytes)
          }
        }
      }
      guard let before, let after = memoryPeak() else { return }
      precondition(after - before < 64 << 20, "\((after - before) >> 20) MB")
    }
  }
}
