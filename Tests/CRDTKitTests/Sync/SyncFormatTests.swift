import CRDTKit
import CRDTTestSupport
import Foundation
import Testing

/// The bytes that the article on the protocol shows.
@Suite("Peer session: the bytes in the article")
struct SyncFormatTests {
  /// The blocks of bytes in the article, without what is said beside them.
  private func examples() throws -> [[UInt8]] {
    let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    let article = try String(
      contentsOfFile: "\(root)/Sources/CRDTKit/CRDTKit.docc/SyncProtocol.md", encoding: .utf8)
    return article.matches(of: /\n```\n(.*?\n)```\n/.dotMatchesNewlines()).map { example in
      example.output.1.split(separator: "\n").flatMap { line in
        line.prefixMatch(of: /([0-9a-f]{2} )+/).map { $0.output.0 }?
          .split(separator: " ").compactMap { UInt8($0, radix: 16) } ?? []
      }
    }
  }

  @Test("a whole exchange, byte by byte") func exchange() throws {
    var set: ORSet<String> = ORSet()
    set.insert("milk", by: ReplicaID(1))
    var wire = Wire(Peer(set, as: ReplicaID(1)), Peer(ORSet<String>(), as: ReplicaID(2)))
    wire.connect()
    let hellos = [wire.left.outbox, wire.right.outbox]
    wire.deliverLeft()
    let transfer = Array(wire.left.outbox.dropFirst(hellos[0].count))
    wire.deliverRight()
    let sent = hellos + [transfer, wire.right.outbox]
    let shown = try examples()
    try #require(shown.count == sent.count)
    for (shown, sent) in zip(shown, sent) { #expect(shown == sent) }
  }

  @Test("a peer put together by hand, as the article says, is understood") func handMade() throws {
    var value: ORSet<String> = ORSet()
    value.insert("tea", by: ReplicaID(66))
    var side = Peer(ORSet<String>(), as: ReplicaID(1))
    side.connect()
    side.outbox = []
    var stream = ForgedStream()
    stream.hello()
    let bytes = value.delta(since: [:]).encoded()
    stream.transfer(bytes)
    side.receive(stream.drain())
    #expect(side.failure == nil && side.value == value && side.isSynchronized)
    side.edit { $0.insert("milk", by: $1) }
    side.flush()
    let frames = try ForgedStream.frames(of: side.outbox)
    #expect(frames.map(\.kind) == [7, 4, 5])
    #expect(frames[0].body == Array(withUnsafeBytes(of: stream.digest(of: bytes), Array.init)))
    stream.frame(7, Array(frames[1].body.prefix(8)))
    side.receive(stream.drain())
    #expect(side.failure == nil && side.isSynchronized)
    try value.apply(decoding: frames[2].body)
    #expect(value == side.value)
  }

  @Test("every failure has a sentence, and every kind its number") func sentences() {
    let failures: [SyncFailure] = [
      .damaged, .notAPeer, .noCommonVersion(ours: 1...1, theirs: 2...3), .unsupportedFormat(2),
      .typeMismatch(found: [1], expected: [2]), .fork(ReplicaID(1)),
      .tooManyReplicas(9, max: 8), .transferTooLarge(bytes: 9, max: 8),
      .malformed(DecodingFailure(.truncated, at: 0)), .gap(missing: [ReplicaID(1): 2]),
      .refused("because"), .violation("talking too much"), .endedByPeer(.fork),
      .differentContents,
      .differentDocument(
        found: DocumentID(high: 1, low: 1), own: DocumentID(high: 1, low: 2)),
    ]
    #expect(failures.map(\.kind.rawValue) == Array(1...5) + Array(7...16))
    #expect(Set(failures.map(\.description)).count == failures.count)
    let kinds = (0...16).compactMap { SyncFailure.Kind(rawValue: $0) }
    #expect(Set(kinds.map(\.description)).count == kinds.count)
  }
}
