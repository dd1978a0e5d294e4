import CRDTKit
import CRDTTestSupport
import Testing

extension HostileStreamTests {
  /// A stream of a peer that speaks parcels.
  private func refuse(
    _ kind: SyncFailure.Kind, _ name: Comment, learns: Int = 0,
    location: SourceLocation = #_sourceLocation, parcels: (inout ForgedStream) -> Void
  ) {
    expect(kind, name, learns: learns, location: location) { stream in
      stream.hello(versions: [1, 2])
      parcels(&stream)
    }
  }

  /// A parcel with what a test writes after the number of those that were taken in.
  private func parcel(
    _ stream: inout ForgedStream, head: UInt64 = 0, _ write: (inout ByteWriter) -> Void
  ) {
    stream.frame(9) { writer in
      writer.write(varint: head)
      write(&writer)
    }
  }

  /// A new replica's first event, an element "a"; one replica that was told of is
  /// left out before it.
  private func honest(_ writer: inout ByteWriter) {
    writer.write([3, 1])
    stranger.encode(to: &writer)
    "a".encode(to: &writer)
  }

  @Test("parcels that are no parcels") func parcels() {
    refuse(.malformed, "nothing in it") { parcel(&$0) { _ in } }
    refuse(.malformed, "no head") { $0.frame(9, []) }
    refuse(.malformed, "marks that no writer sets") {
      parcel(&$0) { $0.write([1, 0x80]) }
    }
    refuse(.malformed, "both kinds of removals") {
      parcel(&$0) { $0.write([1, 0x61]) }
    }
    refuse(.malformed, "a place beyond what was told") {
      parcel(&$0) { $0.write([200, 1]) }
    }
    refuse(.malformed, "events of nobody") { parcel(&$0) { $0.write([0]) } }
    refuse(.malformed, "half a row") {
      parcel(&$0) { writer in
        writer.write([3, 1])
        stranger.encode(to: &writer)
        writer.write([9, 0x61])
      }
    }
    refuse(.malformed, "a replica that was told of already", learns: 1) {
      for _ in 0..<2 { parcel(&$0) { honest(&$0) } }
    }
    for count in [0, 1, 1 << 48, UInt64.max] {
      refuse(.malformed, "\(count) events") {
        parcel(&$0) { writer in
          writer.write([3, 9])
          stranger.encode(to: &writer)
          writer.write(varint: count)
        }
      }
    }
    refuse(.malformed, "a fingerprint left out that nobody can work out") {
      parcel(&$0) { writer in
        writer.write([3, 17])
        stranger.encode(to: &writer)
        writer.write(runs: [])
      }
    }
    refuse(.malformed, "an event that replaced itself") {
      parcel(&$0) { writer in
        writer.write([3, 0x21])
        stranger.encode(to: &writer)
        "a".encode(to: &writer)
        writer.write(varint: 0)
      }
    }
    refuse(.malformed, "runs of removals that are one") {
      parcel(&$0) { writer in
        writer.write([1, 0x28, 2])
        "a".encode(to: &writer)
        writer.write([0x10, 0, 0])
      }
    }
    refuse(.malformed, "a list of no removals") {
      parcel(&$0) { writer in
        writer.write([3, 0x41])
        stranger.encode(to: &writer)
        "a".encode(to: &writer)
        writer.write([0])
      }
    }
    refuse(.malformed, "a removal by a replica that was not told of") {
      parcel(&$0) { writer in
        writer.write([3, 0x41])
        stranger.encode(to: &writer)
        "a".encode(to: &writer)
        writer.write([1, 1, 99, 2])
      }
    }
  }

  @Test("events that don't come to the fingerprint that is written: all are asked for")
  func forks() throws {
    var side = victim()
    let before = side.value
    side.connect()
    side.outbox = []
    var stream = ForgedStream()
    stream.hello(versions: [1, 2])
    parcel(&stream) { writer in
      writer.write([1, 6, 79])
      writer.write(fixed: 0 as UInt32)
      writer.write(fixed: 7 as UInt32)
      "a".encode(to: &writer)
    }
    parcel(&stream) { writer in
      writer.write([3, 5])
      stranger.encode(to: &writer)
      writer.write(fixed: 1 as UInt32)
      "a".encode(to: &writer)
    }
    side.receive(stream.bytes)
    #expect(side.failure == nil && side.learnedCount == 0)
    #expect(side.value.encoded() == before.encoded())
    let again = try ForgedStream.frames(of: side.outbox).filter { $0.kind == 3 }
    #expect(again.count == 1, "what follows is passed over until the answer comes")
  }

  @Test("three events, of which two were seen, and one of them was another one there")
  func forksBeyond() throws {
    var (seen, other) = (ORSet<String>(), ORSet<String>())
    for element in ["a", "b"] { seen.insert(element, by: stranger) }
    for element in ["a", "x", "c"] { other.insert(element, by: stranger) }
    var forger = Peer(other, as: ReplicaID(2))
    forger.connect()
    let hello = try #require(try ForgedStream.frames(of: forger.outbox).first)
    var side = Peer(seen, as: phone)
    side.connect()
    var stream = ForgedStream()
    stream.hello(versions: [1, 2])
    parcel(&stream) { writer in
      writer.write([1, 14, 0, 3])
      writer.write(Array(hello.body.suffix(4)))
      for _ in 1...2 { writer.write(fixed: 0 as UInt32) }
      "a".encode(to: &writer)
      "x".encode(to: &writer, after: "a")
      "c".encode(to: &writer, after: "x")
    }
    side.receive(stream.bytes)
    #expect(side.failure == nil && side.learnedCount == 1)
    #expect(Set(side.value) == ["a", "b", "x", "c"] && side.value.forks == [stranger])
  }

  @Test("parcels at the wrong time, and counts that are not") func conduct() {
    for count in [0, 1, UInt64.max] {
      refuse(.violation, "begun anew, unasked, after \(count) versions") {
        parcel(&$0, head: 1) { writer in
          writer.write(varint: count)
          honest(&writer)
        }
      }
    }
    refuse(.violation, "amid a transfer") {
      $0.offer(digest: 1, total: 100)
      parcel(&$0) { honest(&$0) }
    }
    refuse(.violation, "more taken in than were sent") { $0.frame(10, [3]) }
    refuse(.violation, "none taken in") { $0.frame(10, [0]) }
    refuse(.malformed, "taken in, and more") { $0.frame(10, [1, 1]) }
    refuse(.violation, "more taken in than were sent, in a parcel") {
      parcel(&$0, head: 8) { honest(&$0) }
    }
    refuse(.gap, "bases that were never seen, again", learns: 0) {
      for head in 0...1 as ClosedRange<UInt64> {
        parcel(&$0, head: head) { writer in
          writer.write(head == 0 ? [] : [1])
          writer.write([3, 7])
          stranger.encode(to: &writer)
          writer.write(varint: 7)
          writer.write(fixed: 1 as UInt32)
          writer.write(fixed: 1 as UInt32)
          "a".encode(to: &writer)
        }
      }
    }
    for kind in 9...13 as ClosedRange<UInt8> {
      refuse(.violation, "kind \(kind), of a peer that speaks version 1") { stream in
        stream.hello()
        stream.frame(kind, [1])
      }
    }
  }

  @Test("ways and announcements that are none") func groups() {
    refuse(.malformed, "no way") { $0.frame(13, []) }
    refuse(.malformed, "half a replica") { $0.frame(13, [1, 2, 3]) }
    refuse(.malformed, "another's way") { stream in
      stream.frame(13) { ReplicaID(67).encode(to: &$0) }
    }
    refuse(.malformed, "a way in a circle") { stream in
      stream.frame(13) { writer in
        for name in [66, 5, 66] as [UInt64] { ReplicaID(name).encode(to: &writer) }
      }
    }
    refuse(.malformed, "a way without end") { stream in
      stream.frame(13) { writer in
        for name in 66..<400 as Range<UInt64> { ReplicaID(name).encode(to: &writer) }
      }
    }
    refuse(.malformed, "nothing more of a replica") { stream in
      stream.frame(11) { writer in
        writer.write([1])
        stranger.encode(to: &writer)
        writer.write([0])
      }
    }
    refuse(.malformed, "a place beyond what was said") { $0.frame(11, [4, 1]) }
    refuse(.malformed, "beyond the greatest counter") { stream in
      stream.frame(11) { writer in
        writer.write([1])
        stranger.encode(to: &writer)
        writer.write(varint: counterMax + 1)
      }
    }
    refuse(.malformed, "more replicas than are allowed") { stream in
      stream.frame(11) { writer in
        for name in 100..<160 as Range<UInt64> {
          writer.write([1])
          ReplicaID(name).encode(to: &writer)
          writer.write([1])
        }
      }
    }
    refuse(.tooManyReplicas, "a plea with more") { $0.frame(12, [51]) }
  }

  @Test("rows that take no bytes: their number is bounded by what was sent, all the same")
  func nothing() {
    var side = Peer(ORSet<NoPayload>(), as: phone)
    side.connect()
    var stream = ForgedStream()
    stream.hello(versions: [1, 2], typeCode: ORSet<NoPayload>.typeCode)
    parcel(&stream) { writer in
      // Each says that it has as many rows as half of the bytes after it.
      for name in 0..<200 as Range<UInt64> {
        writer.write(name == 0 ? [1, 9] : [0])
        ReplicaID(100 + name).encode(to: &writer)
        writer.write(varint: 5 * (199 - name) + 1)
      }
    }
    side.receive(stream.bytes)
    #expect(side.failure?.kind == .malformed && side.value._table.rowCount == 0)
  }
}
