import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Of which document a value is a copy, and whom it has to do with.
@Suite("Peer session: of which document")
struct DocumentIdentityTests {
  private static func id(_ number: UInt64) -> DocumentID { DocumentID(high: 0, low: number) }

  private static func identity(_ numbers: [UInt64], isOpen: Bool = false) -> DocumentIdentity? {
    guard let first = numbers.first else { return nil }
    return numbers.reduce(DocumentIdentity(id(first), isOpen: isOpen)) {
      $0.joined(with: DocumentIdentity(id($1)))
    }
  }

  private func wire(
    _ left: DocumentID?, _ right: DocumentID?
  ) -> Wire<ORSet<String>> {
    var sets = [ORSet<String>(), ORSet<String>()]
    sets[0].insert("left", by: ReplicaID(1))
    sets[1].insert("right", by: ReplicaID(2))
    var wire = Wire(Peer(sets[0], as: ReplicaID(1)), Peer(sets[1], as: ReplicaID(2)))
    wire.left.session = PeerSession(replica: ReplicaID(1), document: left)
    wire.right.session = PeerSession(replica: ReplicaID(2), document: right)
    return wire
  }

  @Test("Identifiers are thirty-two digits, and sixteen bytes in the same order")
  func text() throws {
    let document = DocumentID(high: 0x0123, low: 0x4567)
    #expect(document.description == "00000000000001230000000000004567")
    #expect(DocumentID(document.description) == document)
    for text in ["", "12", "+0000000000001230000000000004567", document.description + "0"] {
      #expect(DocumentID(text) == nil)
    }
    var writer = ByteWriter()
    document.encode(to: &writer)
    let bytes = writer.finish()
    #expect(bytes.map { $0 } == [0, 0, 0, 0, 0, 0, 1, 0x23, 0, 0, 0, 0, 0, 0, 0x45, 0x67])
    var reader = ByteReader(bytes)
    #expect(try DocumentID(from: &reader) == document)
    var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
    #expect(DocumentID.random(using: &first) == DocumentID.random(using: &second))
    #expect(DocumentID.random() != DocumentID.random())
  }

  @Test("Values of different documents close on both sides, and take nothing in")
  func different() {
    var wire = wire(Self.id(1), Self.id(2))
    wire.sync()
    #expect(wire.left.failure == .differentDocument(found: Self.id(2), own: Self.id(1)))
    #expect(wire.right.failure == .differentDocument(found: Self.id(1), own: Self.id(2)))
    #expect(wire.left.value.count == 1 && wire.right.value.count == 1)
  }

  @Test("Values of one document, and one of which nothing is known, come to hold the same")
  func same() {
    for (left, right) in [(1, 1), (1, nil), (nil, 2), (nil, nil)] as [(UInt64?, UInt64?)] {
      var wire = wire(left.map(Self.id), right.map(Self.id))
      wire.sync()
      #expect(wire.discrepancy() == nil)
      #expect(wire.left.value.count == 2)
    }
  }

  @Test("Joining comes to the same in any order, and keeps the least")
  func joining() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let all = try (0..<3).map { _ in
        try #require(
          Self.identity(
            (0..<UInt64.random(in: 1...14, using: &random)).map { _ in
              UInt64.random(in: 0..<40, using: &random)
            }))
      }
      let (a, b, c) = (all[0], all[1], all[2])
      #expect(a.joined(with: b) == b.joined(with: a))
      #expect(a.joined(with: b).joined(with: c) == a.joined(with: b.joined(with: c)))
      #expect(a.joined(with: a) == a && a.joined(with: nil) == a)
      let least = Set(a.ids + b.ids).sorted().prefix(16)
      #expect(a.joined(with: b).ids == Array(least))
      #expect(a.joined(with: b).id == min(a.id, b.id))
    }
  }

  @Test("Both sides of a meeting are of one document then, or both refuse")
  func meetings() throws {
    let kinds = [
      nil, Self.identity([1]), Self.identity([2]), Self.identity([1, 2]), Self.identity([3]),
      Self.identity([4], isOpen: true), Self.identity([5], isOpen: true),
      Self.identity([1, 4], isOpen: true),
    ]
    for left in kinds {
      for right in kinds {
        let mine = Result { () throws(SyncFailure) in
          try DocumentIdentity.meeting(left, greetedAs: left, right)
        }
        let theirs = Result { () throws(SyncFailure) in
          try DocumentIdentity.meeting(right, greetedAs: right, left)
        }
        switch (mine, theirs) {
        case (.success(let mine?), .success(let theirs?)):
          #expect(mine.isSame(as: theirs))
          // Who is not empty needn't know by which identifiers one has met others that was.
          if left?.isOpen == right?.isOpen { #expect(mine.ids == theirs.ids) }
        // One that has seen events and knows of no document doesn't take that of an empty one.
        case (.success, .success): #expect(left == nil || right == nil)
        case (.failure, .failure): #expect(left?.canMeet(try #require(right)) == false)
        default: Issue.record("\(String(describing: left)), \(String(describing: right))")
        }
      }
    }
  }

  @Test("What isn't the canonical form is refused")
  func malformed() throws {
    for identity in [nil, Self.identity([1]), Self.identity([1, 9], isOpen: true)] {
      var writer = ByteWriter()
      identity.encode(to: &writer)
      var reader = ByteReader(writer.finish())
      #expect(try DocumentIdentity?(from: &reader) == identity)
      #expect(reader.remaining == 0)
    }
    let id = [UInt8](repeating: 7, count: 16)
    for bytes in [[], [1], [2], [2] + id.dropLast(), [4] + id + id, [34]] as [[UInt8]] {
      var reader = ByteReader(bytes)
      #expect(throws: DecodingFailure.self) { try DocumentIdentity?(from: &reader) }
    }
  }
}
