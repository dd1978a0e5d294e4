import CRDTKit
import CRDTStore
import CRDTTestSupport
import Foundation
import Testing

/// Envelopes and kept operations as each version has written them: they are read for
/// ever.
///
/// Run once with `CRDT_WRITE_GOLDEN=1` to write the files of a new version, in a folder of
/// its own: what older versions wrote stays as it is.
@Suite("Golden envelopes")
struct GoldenEnvelopeTests {
  private static let fixtures =
    #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined() + "/Fixtures"

  private static func operation(
    _ counter: UInt64, _ kind: Outbox.OperationKind, _ record: String,
    _ changes: [Document.FieldChange],
    baseVersion: String? = nil
  ) -> Outbox.Operation {
    Outbox.Operation(
      id: Outbox.OperationID(
        dot: Dot(ReplicaID(0xA1), counter), record: Document.RecordID(record, in: "notes")),
      dots: counter...counter + 2, kind: kind, createdMilliseconds: 1_700_000_000_000 + counter,
      changes: changes, baseVersion: baseVersion)
  }

  /// Something of everything.
  private static let operations: [Outbox.Operation] = {
    var rejected = operation(
      40, .update, "n/3", [Document.FieldChange("due", .assign(.timestamp(5.5), before: .null))])
    rejected.attempts = 2
    rejected.nextAttemptMilliseconds = 1_700_000_009_000
    rejected.state = .dead(
      Outbox.Failure(.rejected, message: "too late", issues: [Outbox.FieldIssue("due", "is past")]))
    return [
      operation(
        10, .create, "n1",
        [
          Document.FieldChange("title", .assign("Moon", before: nil)),
          Document.FieldChange("address.city", .assign("Oslo", before: nil)),
          Document.FieldChange("tags", .insert(["story", 1])),
          Document.FieldChange("likes", .increment(2)),
          Document.FieldChange("body", .assign(.bytes([104, 105]), before: nil)),
        ]),
      operation(
        20, .update, "n1",
        [
          Document.FieldChange("title", .assign("Full moon", before: "Moon")),
          Document.FieldChange(["no.1"], .remove(before: 0.5)),
          Document.FieldChange("tags", .take(["story"])),
          Document.FieldChange("tags", .insert(["é"])),
          Document.FieldChange("likes", .increment(-1)),
          Document.FieldChange("raw", .assign(["$bytes": "aGk="], before: ["x": [nil, true]])),
        ], baseVersion: "7"),
      operation(30, .delete, "n2", [], baseVersion: "abc"), rejected,
    ]
  }()

  private static let answers: [Outbox.Answer] = {
    let id = operations[1].id
    let record = Outbox.ServerRecord(
      record: id.record, version: "8", fields: ["title": "New moon", "likes": 3],
      modifiedMilliseconds: 1_700_000_000_000)
    return [
      Outbox.Answer(id, .accepted(serverVersion: "8")),
      Outbox.Answer(id, .rejected(message: "no", issues: [Outbox.FieldIssue("title", "too long")])),
      Outbox.Answer(id, .conflict(server: record)),
      Outbox.Answer(id, .retry(after: .milliseconds(1_500), message: "busy")),
    ]
  }()

  private static func line(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private static func read<Value: Decodable>(_ line: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(line.utf8))
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func lines(of name: String, written: [String]) throws -> [String] {
    let path = fixtures + "/outbox-v2/" + name
    if ProcessInfo.processInfo.environment["CRDT_WRITE_GOLDEN"] != nil {
      try Data((written.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    }
    return try lines(at: path)
  }

  private static func lines(at path: String) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return text.split(separator: "\n").map(String.init)
  }

  private func check<Value: Codable & Equatable & Sendable>(
    _ values: [Value], in name: String, reading: [Value]? = nil
  ) throws {
    let written = try values.map(Self.line)
    let lines = try Self.lines(of: name, written: written)
    #expect(lines == written)
    let read = try lines.map(Self.read) as [Value]
    #expect(read == reading ?? values)
  }

  @Test("Golden envelopes are what is written today, and are read")
  func envelopes() throws {
    let envelopes = Self.operations.map(\.envelope)
    try check(
      envelopes, in: "envelopes.jsonl", reading: envelopes.map { Self.sent($0, Self.text) })
    try check(Self.operations, in: "operations.jsonl", reading: Self.operations.map(Self.kept))
    try check(Self.answers, in: "answers.jsonl")
  }

  @Test("What version 1 wrote is read as it was meant")
  func first() throws {
    let folder = Self.fixtures + "/outbox-v1/"
    let envelopes =
      try Self.lines(at: folder + "envelopes.jsonl").map(Self.read)
      as [Outbox.Envelope]
    #expect(envelopes == Self.operations.map { Self.sent($0.envelope) { $0 } })
    let operations =
      try Self.lines(at: folder + "operations.jsonl").map(Self.read)
      as [Outbox.Operation]
    #expect(operations == Self.operations)
    let answers: [Outbox.Answer] = try Self.lines(at: folder + "answers.jsonl").map(Self.read)
    #expect(answers == Self.answers)
    let bytes = try Self.lines(at: folder + "operations.hex")
    #expect(bytes == Self.operations.map { Self.hexadecimal($0.encoded()) })
  }

  /// An envelope as a server has it, which isn't sent what fields held before.
  private static func sent(
    _ envelope: Outbox.Envelope, _ text: (Document.Value) -> Document.Value
  ) -> Outbox.Envelope {
    var envelope = envelope
    envelope.changes = envelope.changes.map { change in
      switch change.change {
      case .assign(let value, _):
        Document.FieldChange(change.path, .assign(text(value), before: nil))
      case .remove: Document.FieldChange(change.path, .remove(before: nil))
      default: change
      }
    }
    return envelope
  }

  /// An operation that was told of as JSON, where moments are texts.
  private static func kept(_ operation: Outbox.Operation) -> Outbox.Operation {
    var operation = operation
    operation.changes = operation.changes.map { change in
      guard case .assign(let value, let before) = change.change else { return change }
      return Document.FieldChange(change.path, .assign(text(value), before: before))
    }
    return operation
  }

  private static func text(_ value: Document.Value) -> Document.Value {
    value == .timestamp(5.5) ? "2001-01-01T00:00:05.5Z" : value
  }

  @Test("Golden bytes are what is kept today, and are read")
  func bytes() throws {
    let written = Self.operations.map { Self.hexadecimal($0.encoded()) }
    #expect(try Self.lines(of: "operations.hex", written: written) == written)
    for operation in Self.operations {
      #expect(try Outbox.Operation(decoding: operation.encoded()) == operation)
    }
  }
}
