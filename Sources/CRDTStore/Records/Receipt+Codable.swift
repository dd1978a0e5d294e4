import CRDTKit

extension Store.Receipt: Codable {
  /// The version of the format that is written; version 2 has no replaced rows, and versions
  /// before 4 have no removed text.
  private static var formatVersion: UInt8 { 4 }

  /// Encodes the receipt as an opaque text.
  public func encode(to encoder: any Encoder) throws {
    var writer = ByteWriter(capacity: 128)
    writer.write(Self.formatVersion)
    replica.encode(to: &writer)
    writer.write(varint: events?.lowerBound ?? 0)
    writer.write(varint: events.map { $0.upperBound - $0.lowerBound } ?? 0)
    writer.write(varint: UInt64(operations.count))
    for operation in operations { operation.encode(to: &writer) }
    writer.write(varint: UInt64(changes.count))
    for (place, change) in changes.enumerated() {
      change.encode(to: &writer)
      if events != nil { marks[place].encode(to: &writer) }
    }
    writer.write(varint: UInt64(omissions.count))
    for omission in omissions { omission.encode(to: &writer) }
    for mark in marks { mark.replaced.encode(to: &writer) }
    for mark in marks { mark.texts.encode(to: &writer) }
    var container = encoder.singleValueContainer()
    try container.encode(Base64.text(of: writer.finish()))
  }

  /// Decodes the text, and throws if no commit can have made it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let bytes = Base64.bytes(of: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "A receipt is a text in Base64.")
    }
    do throws(DecodingFailure) {
      try self.init(decoding: bytes)
    } catch {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "This is not a receipt: \(error).")
    }
  }

  private init(decoding bytes: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    let version = try reader.readByte()
    guard (2...Self.formatVersion).contains(version) else {
      throw DecodingFailure(.unsupportedVersion(version), at: 0)
    }
    let replica = try ReplicaID(from: &reader)
    let start = reader.offset
    let (first, count) = (try reader.readVarint(), try reader.readVarint())
    guard first <= Outbox.OperationID.counterMax, count <= Outbox.OperationID.counterMax - first,
      first > 0 || count == 0
    else {
      throw DecodingFailure(.outOfBounds("the event of a commit"), at: start)
    }
    var operations: [Outbox.OperationID] = []
    for _ in 0..<(try reader.readCount(of: "operations")) {
      operations.append(try Outbox.OperationID(from: &reader))
    }
    var changes: [StagedChange] = []
    var marks: [Document.CommitMark] = []
    for _ in 0..<(try reader.readCount(of: "changes of records")) {
      changes.append(try StagedChange(from: &reader))
      if first > 0 { marks.append(try Document.CommitMark(from: &reader)) }
    }
    var omissions: [Omission] = []
    for _ in 0..<(try reader.readCount(of: "what was left out")) {
      omissions.append(try Omission(from: &reader))
    }
    for place in marks.indices where version > 2 {
      marks[place].replaced = try [Document.ReplacedRow](from: &reader)
    }
    if version > 3 { try Self.readTexts(of: changes, into: &marks, from: &reader) }
    guard reader.remaining == 0 else { throw DecodingFailure(.trailingBytes, at: reader.offset) }
    self.init(
      replica: replica, events: first > 0 ? first...(first + count) : nil,
      operations: operations, changes: changes, omissions: omissions)
    self.marks = marks
  }

  /// Reads what the commit removed from texts, which is the same in all changes of a record.
  private static func readTexts(
    of changes: [StagedChange], into marks: inout [Document.CommitMark],
    from reader: inout ByteReader
  ) throws(DecodingFailure) {
    var known: [Document.RecordID: [FieldPath: Document.RemovedText]] = [:]
    for place in marks.indices {
      let start = reader.offset
      marks[place].texts = try Document.RemovedText.list(from: &reader)
      for text in marks[place].texts {
        let earlier = known[changes[place].record, default: [:]].updateValue(
          text, forKey: text.path)
        guard earlier == nil || earlier == text else {
          throw DecodingFailure(.notCanonical("the removed text of a field"), at: start)
        }
      }
    }
  }
}

extension StagedChange {
  private enum Mark {
    static let create: UInt8 = 0
    static let update: UInt8 = 1
    static let delete: UInt8 = 2
    static let restore: UInt8 = 3
  }

  /// Writes the part of a change that receipts keep: the action, the record and the fields.
  fileprivate func encode(to writer: inout ByteWriter) {
    let mark =
      switch self {
      case .create: Mark.create
      case .update, .revise, .resolve, .discardOrphan, .takeBack: Mark.update
      case .delete: Mark.delete
      case .restore, .restoreOrphan: Mark.restore
      }
    writer.write(mark)
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    switch self {
    case .update(_, let fields, making: let made),
      .revise(_, let fields, making: let made, seen: _):
      fields.encode(to: &writer)
      made.map(\.names).encode(to: &writer)
    case .resolve, .discardOrphan, .takeBack:
      writer.write(varint: 0)
      writer.write(varint: 0)
    case .create, .delete, .restore, .restoreOrphan: break
    }
  }

  /// Reads a change, and throws if it could not be undone.
  fileprivate init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let mark = try reader.readByte()
    let collection = try String(from: &reader)
    let record = Document.RecordID(try String(from: &reader), in: collection)
    guard record.hasUsableNames else {
      throw DecodingFailure(.outOfBounds("the name of a record"), at: start)
    }
    switch mark {
    case Mark.create: self = .create(record, [])
    case Mark.update:
      let fields = try Self.fields(from: &reader)
      let made = try [[String]](from: &reader).map(FieldPath.init)
      guard made.allSatisfy(\.isUsable) else {
        throw DecodingFailure(.invalidValue("a path that no record has"), at: start)
      }
      self = .update(record, fields, making: made)
    case Mark.delete: self = .delete(record)
    case Mark.restore: self = .restore(record)
    default: throw DecodingFailure(.notCanonical("the kind of a change"), at: start)
    }
  }

  private static func fields(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> [Document.FieldChange] {
    let start = reader.offset
    let fields = try [Document.FieldChange](from: &reader)
    guard fields.allSatisfy(\.inverse.isUsable) else {
      throw DecodingFailure(.invalidValue("a change that no record can take back"), at: start)
    }
    return fields
  }
}

extension Store.Receipt.Omission {
  fileprivate func encode(to writer: inout ByteWriter) {
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
    (field?.names ?? []).encode(to: &writer)
    writer.write(reason.rawValue)
  }

  fileprivate init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let collection = try String(from: &reader)
    record = Document.RecordID(try String(from: &reader), in: collection)
    let names = try [String](from: &reader)
    field = names.isEmpty ? nil : FieldPath(names)
    let place = reader.offset
    guard let reason = Store.Receipt.Reason(rawValue: try reader.readByte()) else {
      throw DecodingFailure(.invalidValue("no reason"), at: place)
    }
    self.reason = reason
    guard record.hasUsableNames, field?.isUsable ?? true else {
      throw DecodingFailure(.outOfBounds("the name of what was left out"), at: start)
    }
  }
}
