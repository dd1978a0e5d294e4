public import CRDTKit

extension OperationFailure: CanonicalCodable {
  /// Writes the cause as text, the message and the issues.
  public func encode(to writer: inout ByteWriter) {
    cause.rawValue.encode(to: &writer)
    message.encode(to: &writer)
    writer.write(varint: UInt64(issues.count))
    for issue in issues {
      issue.path.names.encode(to: &writer)
      issue.message.encode(to: &writer)
    }
  }

  /// Reads a failure.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let cause = Cause(rawValue: try String(from: &reader)) else {
      throw DecodingFailure(.invalidValue("the cause of a failure"), at: start)
    }
    self.init(cause, message: try String(from: &reader))
    for _ in 0..<(try reader.readCount(of: "issues")) {
      let path = FieldPath(try [String](from: &reader))
      issues.append(FieldIssue(path, try String(from: &reader)))
    }
  }
}
