import CRDTKit

extension OperationID {
  func encode(to writer: inout ByteWriter) {
    dot.replica.encode(to: &writer)
    writer.write(varint: dot.counter)
    record.collection.encode(to: &writer)
    record.record.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let dot = Dot(try ReplicaID(from: &reader), try reader.readVarint())
    guard (1...Self.counterMax).contains(dot.counter) else {
      throw DecodingFailure(.outOfBounds("the counter of an operation"), at: start)
    }
    let collection = try String(from: &reader)
    let record = Document.RecordID(try String(from: &reader), in: collection)
    guard record.hasUsableNames else {
      throw DecodingFailure(.outOfBounds("the name of a record"), at: start)
    }
    self.init(dot: dot, record: record)
  }
}
