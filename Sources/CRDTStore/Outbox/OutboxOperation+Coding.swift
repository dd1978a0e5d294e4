public import CRDTKit

/// What a store keeps of an operation: a version, and all of it.
extension OutboxOperation {
  /// The version of the form that is written.
  static var formatVersion: UInt8 { 1 }

  /// The bytes that a store keeps.
  ///
  /// - Complexity: O(size of the changes).
  package func encoded() -> [UInt8] {
    var writer = ByteWriter(capacity: 128)
    writer.write(Self.formatVersion)
    id.encode(to: &writer)
    writer.write(varint: dots.lowerBound)
    writer.write(varint: dots.upperBound - dots.lowerBound)
    kind.encode(to: &writer)
    writer.write(varint: createdMilliseconds)
    changes.encode(to: &writer)
    baseVersion.encode(to: &writer)
    writer.write(varint: UInt64(attempts))
    writer.write(varint: nextAttemptMilliseconds)
    failure.encode(to: &writer)
    return writer.finish()
  }

  /// Reads the bytes that a store keeps.
  ///
  /// - Complexity: O(`bytes.count`).
  package init(decoding bytes: [UInt8]) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    let version = try reader.readByte()
    guard version == Self.formatVersion else {
      throw DecodingFailure(.unsupportedVersion(version), at: 0)
    }
    let id = try OperationID(from: &reader)
    let start = reader.offset
    let first = try reader.readVarint()
    let (last, overflows) = first.addingReportingOverflow(try reader.readVarint())
    guard !overflows, last <= OperationID.counterMax else {
      throw DecodingFailure(.outOfBounds("the events of an operation"), at: start)
    }
    self.init(
      id: id, dots: first...last, kind: try OperationKind(from: &reader),
      createdMilliseconds: try reader.readVarint(),
      changes: try [Document.FieldChange](from: &reader),
      baseVersion: try String?(from: &reader))
    let attempts = try reader.readVarint()
    guard attempts <= UInt64(Int32.max) else {
      throw DecodingFailure(.outOfBounds("the attempts of an operation"), at: reader.offset)
    }
    self.attempts = Int(attempts)
    nextAttemptMilliseconds = try reader.readVarint()
    if let failure = try OperationFailure?(from: &reader) { state = .dead(failure) }
    guard reader.remaining == 0 else {
      throw DecodingFailure(.trailingBytes, at: reader.offset)
    }
  }
}

extension OperationKind: CanonicalCodable {
  /// Writes a byte: 0, 1 and 2 in the order of the cases.
  public func encode(to writer: inout ByteWriter) {
    switch self {
    case .create: writer.write(0 as UInt8)
    case .update: writer.write(1 as UInt8)
    case .delete: writer.write(2 as UInt8)
    }
  }

  /// Reads a byte.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .create
    case 1: self = .update
    case 2: self = .delete
    default: throw DecodingFailure(.invalidValue("the kind of an operation"), at: start)
    }
  }
}
