import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// The values of the outbox as JSON and as bytes.
@Suite("Envelopes of the outbox")
struct EnvelopeTests {
  private func check<Value: Codable & Equatable>(
    _ value: Value, _ seed: UInt64, reading expected: Value? = nil
  ) throws {
    let json = try JSONEncoder().encode([value])
    let text = String(decoding: json, as: UTF8.self)
    let read = try JSONDecoder().decode([Value].self, from: json)
    try #require(read == [expected ?? value], "seed \(seed): \(text)")
  }

  /// An operation as it is told of, with moments as text.
  private func told(_ operation: Outbox.Operation) -> Outbox.Operation {
    var operation = operation
    operation.changes = operation.changes.map { change in
      switch change.change {
      case .assign(let value, let before):
        Document.FieldChange(
          change.path, .assign(value.sayingMoments, before: before?.sayingMoments))
      case .remove(let before):
        Document.FieldChange(change.path, .remove(before: before?.sayingMoments))
      case .insert(let elements):
        Document.FieldChange(change.path, .insert(elements.map(\.sayingMoments)))
      case .take(let elements):
        Document.FieldChange(change.path, .take(elements.map(\.sayingMoments)))
      case .increment: change
      }
    }
    return operation
  }

  private func told(_ record: Outbox.ServerRecord) -> Outbox.ServerRecord {
    var record = record
    record.fields = record.fields.mapValues(\.sayingMoments)
    return record
  }

  private func told(_ answer: Outbox.Answer) -> Outbox.Answer {
    guard case .conflict(let server) = answer.outcome else { return answer }
    return Outbox.Answer(answer.id, .conflict(server: told(server)))
  }

  /// An operation as one reads it that isn't told what fields held before.
  private func withoutBefore(_ changes: [Document.FieldChange]) -> [Document.FieldChange] {
    changes.map { change in
      switch change.change {
      case .assign(let value, _): Document.FieldChange(change.path, .assign(value, before: nil))
      case .remove: Document.FieldChange(change.path, .remove(before: nil))
      default: change
      }
    }
  }

  @Test("What is read from JSON is what was written")
  func roundTrips() throws {
    for seed in 0..<400 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      try check(OutboxSamples.value(using: &random, depth: 4), seed)
      let operation = OutboxSamples.operation(using: &random)
      try check(operation, seed, reading: told(operation))
      try check(operation.id, seed)
      for change in operation.changes { try check(change, seed) }
      var envelope = operation.envelope
      let json = try JSONEncoder().encode(envelope)
      envelope.changes = withoutBefore(told(operation).envelope.changes)
      let read = try JSONDecoder().decode(Outbox.Envelope.self, from: json)
      try #require(read == envelope, "seed \(seed): \(String(decoding: json, as: UTF8.self))")
      #expect(read.contentHash == operation.envelope.contentHash)
      let answer = Outbox.Answer(operation.id, OutboxSamples.outcome(using: &random))
      try check(answer, seed, reading: told(answer))
      let records = (0..<3).map { _ in OutboxSamples.record(using: &random) }
      try check(
        Outbox.PullPage(records: records, cursor: [1, 2, 255], hasMore: true), seed,
        reading: Outbox.PullPage(records: records.map(told), cursor: [1, 2, 255], hasMore: true))
      try check(Outbox.PullPage(records: [], cursor: nil, hasMore: false), seed)
    }
    try check(Outbox.PullRequest(collection: "notes", cursor: [0], limit: 7), 0)
    #expect(Outbox.PullRequest(collection: "notes", limit: 900).limit == 200)
    for kind in RemoteError.Kind.allCases {
      try check(RemoteError(kind, "m", retryAfter: .seconds(2)), 0)
    }
  }

  @Test("What is read from the store's bytes is what was written")
  func bytes() throws {
    for seed in 0..<1_000 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let operation = OutboxSamples.operation(using: &random)
      let read = try Outbox.Operation(decoding: operation.encoded())
      try #require(read == operation, "seed \(seed)")
      #expect(read.encoded() == operation.encoded())
    }
  }

  @Test("Damaged bytes are refused or read as some operation, and never trap")
  func damage() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<60 {
      let bytes = OutboxSamples.operation(using: &random).encoded()
      for count in 0..<bytes.count {
        #expect(throws: DecodingFailure.self) {
          try Outbox.Operation(decoding: Array(bytes[..<count]))
        }
      }
      for place in bytes.indices {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        guard let read = try? Outbox.Operation(decoding: damaged) else { continue }
        #expect(read.encoded() == damaged, "what is read is canonical")
      }
    }
    var newer = OutboxSamples.operation(using: &random).encoded()
    newer[0] = 2
    #expect(throws: DecodingFailure(.unsupportedVersion(2), at: 0)) {
      try Outbox.Operation(decoding: newer)
    }
  }

  @Test(
    "Identifiers have one text form",
    arguments: [
      "00000000000000a1-17/notes/n1", "00000000000000a1-1/a%2Fb%25/x/y%", "ffffffffffffffff-9//",
    ])
  func identifiers(_ text: String) throws {
    let id = try #require(Outbox.OperationID(text))
    #expect(id.description == text)
  }

  @Test(
    "What is no identifier is refused",
    arguments: [
      "", "a1-17/notes/n1", "00000000000000a1-0/n/r", "00000000000000a1-01/n/r",
      "00000000000000a1-+1/n/r", "00000000000000A1-1/n/r", "00000000000000a1-281474976710656/n/r",
      "00000000000000a1-1/n", "00000000000000a1/n/r", "00000000000000a1-1/%2f/r",
      "00000000000000a1-1/%/r", "00000000000000a1-1/n/" + String(repeating: "x", count: 1_025),
    ])
  func noIdentifiers(_ text: String) {
    #expect(Outbox.OperationID(text) == nil)
  }

  private func envelope(_ json: String) throws -> Outbox.Envelope {
    try JSONDecoder().decode(Outbox.Envelope.self, from: Data(json.utf8))
  }

  @Test("Members that are missing are empty, and those that aren't known are passed over")
  func lenience() throws {
    let id = "00000000000000a1-17/notes/n1"
    let short = try envelope(#"{"operationId":"\#(id)","type":"delete","more":{}}"#)
    #expect(short.id.description == id)
    #expect(short.changes.isEmpty && short.baseVersion == nil && short.createdMilliseconds == 0)
    let loose = try envelope(
      #"{"operationId":"\#(id)","type":"update","payload":{"b":1,"a":null},"removed":{"t":[2]}}"#)
    #expect(
      loose.changes == [
        Document.FieldChange("a", .assign(nil, before: nil)),
        Document.FieldChange("b", .assign(1, before: nil)),
        Document.FieldChange("t", .take([2])),
      ])
  }

  @Test(
    "What no record could take is refused",
    arguments: [
      #""schemaVersion":4"#, #""schemaVersion":0"#, #""entityId":"n2""#, #""entityType":"x""#,
      #""payload":{"a":1},"increments":{"a":1}"#, #""payload":{"a":1},"inserted":{"a":[1]}"#,
      #""payload":[1]"#, #""createdAtMillis":-1"#,
      #""payload":{"a":\#(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))}"#,
      #""payload":{"\#(String(repeating: "a", count: 1_025))":1}"#,
      #""payload":{"a":{"\#(String(repeating: "a", count: 1_025))":1}}"#,
    ])
  func refusals(_ member: String) throws {
    let error = #expect(throws: DecodingError.self) {
      try envelope(#"{"operationId":"00000000000000a1-17/notes/n1","type":"update",\#(member)}"#)
    }
    if member == #""schemaVersion":4"# {
      #expect("\(try #require(error))".contains("schema version 4"))
    }
  }

  @Test("Numbers that JSON brought back in another kind are what they were")
  func kinds() throws {
    let known: Document.Value = ["a": 2.0, "b": [1.0, 0.5], "c": 3, "d": .double(-0.0), "e": 7.0]
    let json = try JSONEncoder().encode(known)
    let read = try JSONDecoder().decode(Document.Value.self, from: json)
    #expect(read != known && read.takingKinds(of: known) == known)
    let other: Document.Value = ["a": 3, "b": [1], "c": 3.5, "d": true, "f": 1]
    #expect(other.takingKinds(of: known) == other)
    #expect(Document.Value.int(3).takingKinds(of: .double(.nan)) == 3)
    #expect(Document.Value.double(3).takingKinds(of: 3) == 3)
  }

  @Test("Base64 is that of Foundation, and has one spelling")
  func base64() throws {
    var random = SeededGenerator(seed: 3)
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = Base64.text(of: bytes)
      #expect(text == Data(bytes).base64EncodedString())
      #expect(Base64.bytes(of: text) == bytes)
    }
    for text in ["a", "ab", "abc", "ab=", "a===", "aB==", "ab=a", "====", "a b=", "aGk=aGk=", "é"] {
      #expect(Base64.bytes(of: text) == nil, "\(text)")
    }
  }
}
