import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

/// Values that somebody chose so that a fingerprint takes them for one are told apart
/// where that decides what is done.
@Suite("Content hashes")
struct ContentHashTests {
  /// Two values of a field that come to one fingerprint as they are encoded.
  private static let pair = (
    "Due 1 Dec; pay to IBAN DE00 0000 0000 0000 0000 01.    ",
    "Due now; pay to IBAN XX66, ref KiukSyex;4}}FTzU 01.    "
  )

  private func bytes(of text: String) -> [UInt8] {
    var writer = ByteWriter()
    Document.Value.string(text).encode(to: &writer)
    return writer.finish()
  }

  /// The pair, and one that was found by running the fingerprint backwards.
  private func pairs() throws -> [(String, String)] {
    let text = "Send the parcel to Ann, Lake Road 1, before noon.   "
    var random = SeededGenerator(seed: 1)
    let found = try #require(
      ChosenCollision.find(
        text, beginning: "Send the money to Bob, ref ",
        after: Array(bytes(of: text).dropLast(text.utf8.count)), using: &random))
    let pairs = [Self.pair, (text, found)]
    for (left, right) in pairs {
      #expect(left != right)
      let numbers = [left, right].map { bytes(of: $0).withUnsafeBytes { Fingerprint.of($0) } }
      #expect(numbers[0] == numbers[1], "a fingerprint takes them for one")
    }
    return pairs
  }

  @Test("A field that the server changed is never taken for unchanged")
  func serverFields() throws {
    for (left, right) in try pairs() {
      var fields = ServerFields(["memo": .string(left), "other": .int(1)])
      #expect(fields.contains(.string(left), of: "memo"))
      #expect(!fields.contains(.string(right), of: "memo"))
      #expect(!fields.contains(.string(left), of: "other"))
      fields.note([Document.FieldChange("memo", .assign(.string(right), before: nil))])
      #expect(fields.contains(.string(right), of: "memo"))
      #expect(!fields.contains(.string(left), of: "memo") && fields.contains(1, of: "other"))
      fields.note([Document.FieldChange("memo.part", .assign(1, before: nil))])
      #expect(!fields.contains(.string(right), of: "memo"))
    }
  }

  @Test("Fields of a server are read as they were written, and as unknown if that was earlier")
  func coding() throws {
    for count in 0..<20 {
      let values = (0..<count).map { ("f\($0)", Document.Value.int(Int64($0))) }
      let fields = ServerFields(Dictionary(uniqueKeysWithValues: values))
      var writer = ByteWriter()
      fields.encode(to: &writer)
      let bytes = writer.finish()
      var reader = ByteReader(bytes)
      #expect(try ServerFields(from: &reader) == fields && reader.remaining == 0)
      // The 0 alone is what an earlier version wrote of no fields.
      for end in 2..<bytes.count where count > 0 {
        var reader = ByteReader(Array(bytes[..<end]))
        #expect(throws: DecodingFailure.self) { try ServerFields(from: &reader) }
      }
      var older = ByteWriter()
      older.write(varint: UInt64(count))
      for number in 0..<count { older.write(fixed: UInt64(number) << 40) }
      var olderReader = ByteReader(older.finish())
      #expect(try ServerFields(from: &olderReader) == ServerFields())
    }
  }

  @Test("Operations that do other things have other hashes, and those that do the same the same")
  func envelopes() throws {
    func envelope(_ value: String, _ counter: UInt64) -> Outbox.Envelope {
      Outbox.Envelope(
        id: Outbox.OperationID(
          dot: Dot(ReplicaID(1), counter), record: Document.RecordID("n1", in: "notes")),
        kind: .update, createdMilliseconds: counter,
        changes: [Document.FieldChange("memo", .assign(.string(value), before: nil))])
    }
    for (left, right) in try pairs() {
      let hash = envelope(left, 1).contentHash
      #expect(hash != envelope(right, 1).contentHash)
      #expect(hash == envelope(left, 2).contentHash)
      #expect(hash.utf8.count == 32 && UInt128(hash, radix: 16) != nil)
    }
  }

  @Test("Of many short values no two come to one digest") func birthday() {
    var random = SeededGenerator(seed: 7)
    var inputs: Set<[UInt8]> = []
    var digests: Set<ShortDigest> = []
    let count = isLongRun ? 200_000 : 20_000
    while inputs.count < count {
      let bytes = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      guard inputs.insert(bytes).inserted else { continue }
      digests.insert(bytes.withUnsafeBytes { ShortDigest(of: $0) })
    }
    #expect(digests.count == count)
  }
}

extension ServerFields {
  /// The digests of a record with these fields.
  fileprivate init(_ fields: [String: Document.Value]) {
    self.init(Self.record(fields))
  }

  /// Whether a field is known to have a value.
  fileprivate func contains(_ value: Document.Value, of name: String) -> Bool {
    contains(name, of: Self.record([name: value]))
  }

  private static func record(_ fields: [String: Document.Value]) -> Outbox.ServerRecord {
    Outbox.ServerRecord(record: Document.RecordID("r", in: "c"), version: "1", fields: fields)
  }
}
