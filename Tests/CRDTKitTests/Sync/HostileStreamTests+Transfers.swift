import CRDTKit
import CRDTTestSupport
import Testing

extension HostileStreamTests {
  /// What the victim offers first, and how long it is.
  private func offered() throws -> (digest: [UInt8], total: Int) {
    var side = victim()
    side.connect()
    side.outbox = []
    var stream = ForgedStream()
    stream.hello()
    side.receive(stream.bytes)
    let offer = try #require(try ForgedStream.frames(of: side.outbox).first)
    #expect(offer.kind == 4)
    return (
      Array(offer.body.prefix(8)),
      side.value.delta(since: [:]).encoded().count
    )
  }

  private func delta(_ write: (inout ByteWriter) -> Void) -> [UInt8] {
    forged(ORSet<String>.Delta.typeCode, write)
  }

  /// The delta of a stranger's first event, an element "a".
  private func honestDelta() -> [UInt8] {
    var value: ORSet<String> = ORSet()
    value.insert("a", by: stranger)
    return value.delta(since: [:]).encoded()
  }

  @Test("transfers that were not offered, are no transfers, or are too long") func offers() {
    for total in [10_001, 1 << 31, 1 << 62, UInt64.max] {
      expect(.transferTooLarge, "\(total) bytes") {
        $0.hello()
        $0.offer(digest: 1, total: total)
      }
    }
    expect(.violation, "nothing") {
      $0.hello()
      $0.offer(digest: 1, total: 0)
    }
    expect(.violation, "going on where nothing was") {
      $0.hello()
      $0.offer(digest: 1, total: 100, start: 50)
    }
    expect(.violation, "two at once") {
      $0.hello()
      $0.offer(digest: 1, total: 100)
      $0.offer(digest: 2, total: 100)
    }
    expect(.violation, "data of no transfer") {
      $0.hello()
      $0.frame(5, [1])
    }
    expect(.violation, "data of no bytes") {
      $0.hello()
      $0.offer(digest: 1, total: 100)
      $0.frame(5, [])
    }
    expect(.violation, "more than was offered") {
      $0.hello()
      $0.offer(digest: 1, total: 100)
      $0.frame(5, Array(repeating: 0, count: 101))
    }
    expect(.violation, "more than a window at once") {
      $0.hello()
      $0.offer(digest: 1, total: 1_000)
      $0.frame(5, Array(repeating: 0, count: 151))
    }
    expect(.violation, "more than a window, in pieces") { stream in
      stream.hello(window: 20)
      stream.offer(digest: 1, total: 1_000)
      stream.frame(5, Array(repeating: 0, count: 9))
      stream.frame(5, Array(repeating: 0, count: 12))
    }
  }

  @Test("acknowledging what was not sent, or not yet") func acknowledgements() throws {
    let (digest, total) = try offered()
    #expect(total > 400)
    expect(.violation, "all, before all was sent") {
      $0.hello()
      $0.frame(7, digest)
    }
    expect(.violation, "something else") {
      $0.hello()
      $0.frame(7, [1, 2, 3, 4, 5, 6, 7, 8])
    }
    expect(.violation, "when nothing is to be sent") { stream in
      let fingerprint = victim().value._table.columns[0].fingerprint
      stream.hello(count: 1) { $0.write(announced: phone, seen: 80, fingerprint: fingerprint) }
      stream.frame(7, digest)
    }
    for taken in [0, 151, 1 << 40, UInt64.max] {
      expect(.violation, "\(taken) bytes taken") {
        $0.hello()
        $0.frame(6) { $0.write(varint: taken) }
      }
    }
    var stream = ForgedStream()
    stream.hello()
    var side = victim()
    side.connect()
    side.receive(stream.drain())
    // What is sent in a call can't have been taken in that call.
    for taken in stride(from: 150, through: 450, by: 150) as StrideThrough<UInt64> {
      stream.frame(6) { $0.write(varint: taken) }
    }
    side.sentMax = 0
    side.receive(stream.bytes)
    #expect(side.failure?.kind == .violation)
    #expect(side.sentMax < 20)
  }

  @Test("transfers that are not what was offered, or can't be read") func contents() {
    expect(.damaged, "another digest") {
      $0.hello()
      $0.offer(digest: 1, total: 3)
      $0.frame(5, [1, 2, 3])
    }
    expect(.malformed, "no delta") {
      $0.hello()
      $0.transfer([1, 2, 3])
    }
    expect(.malformed, "a state") {
      $0.hello()
      $0.transfer(ORSet<String>().encoded())
    }
    expect(.malformed, "events beyond the greatest counter") {
      $0.hello()
      $0.transfer(
        delta { writer in
          writer.write(varint: 1)
          writer.write(head: stranger, base: 0, seen: counterMax + 1)
          writer.write(runs: [])
          writer.write([0, 0])
        })
    }
    expect(.fork, "other events under the victim's name, again when asked for all of them") {
      $0.hello(versions: [1, 2])
      for _ in 1...2 {
        $0.transfer(
          delta { writer in
            writer.write(varint: 1)
            writer.write(head: phone, base: 79, seen: 80)
            writer.write(runs: [])
            writer.write([0, 0])
          })
      }
    }
    expect(.fork, "other events under the victim's name, by one who speaks version 1") {
      $0.hello()
      $0.transfer(
        delta { writer in
          writer.write(varint: 1)
          writer.write(head: phone, base: 79, seen: 80)
          writer.write(runs: [])
          writer.write([0, 0])
        })
    }
    expect(.tooManyReplicas, "more replicas than are allowed") {
      $0.hello(window: 100)
      var flood = ORSet<String>()
      for name in 100..<150 { flood.insert("", by: ReplicaID(UInt64(name))) }
      let bytes = flood.delta(since: [:]).encoded()
      $0.offer(digest: $0.digest(of: bytes), total: UInt64(bytes.count))
      for start in stride(from: 0, to: bytes.count, by: 50) {
        $0.frame(5, Array(bytes[start..<min(start + 50, bytes.count)]))
      }
    }
  }

  @Test("a base that was never seen: asked again once, then closed") func lyingBases() throws {
    let lie = delta { writer in
      writer.write(varint: 1)
      writer.write(head: stranger, base: 7, seen: 8)
      writer.write(runs: [], after: 7)
      writer.write([0, 0])
    }
    expect(.gap, "twice") {
      $0.hello()
      $0.transfer(lie)
      $0.transfer(lie)
    }
    expect(.violation, "and what it was asked in return", learns: 1) {
      $0.hello()
      $0.transfer(lie)
      $0.transfer(honestDelta())
      $0.frame(7, [0, 0, 0, 0, 0, 0, 0, 0])
    }
    var stream = ForgedStream()
    stream.hello()
    stream.transfer(lie)
    var side = victim()
    side.connect()
    side.outbox = []
    side.receive(stream.bytes)
    #expect(side.failure == nil)
    let asked = try ForgedStream.frames(of: side.outbox).filter { $0.kind == 3 }
    #expect(asked.count == 1 && asked.first?.body.first == 1)
  }
}
