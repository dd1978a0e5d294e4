public import CRDTKit

/// A value's canonical form.
public func bytes(of value: some CanonicalCodable) -> [UInt8] {
  var writer = ByteWriter()
  value.encode(to: &writer)
  return writer.finish()
}

/// A value's form in a column, after the value before it.
public func bytes<Value: CanonicalCodable>(of value: Value, after previous: Value?) -> [UInt8] {
  var writer = ByteWriter()
  value.encode(to: &writer, after: previous)
  return writer.finish()
}

/// The value that the bytes hold, and nothing after it.
public func decode<Value: CanonicalCodable>(
  _: Value.Type = Value.self, from bytes: [UInt8], after previous: Value? = nil
) throws(DecodingFailure) -> Value {
  var reader = ByteReader(bytes)
  let value = try Value(from: &reader, after: previous)
  guard reader.remaining == 0 else { throw DecodingFailure(.trailingBytes, at: reader.offset) }
  return value
}
