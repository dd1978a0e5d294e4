extension TableDelta<Document> {
  /// Reads what ``encodeBody(to:remembering:)`` wrote, as deltas of any type are
  /// read, but faster.
  ///
  /// - Complexity: O(size of the delta), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not in order.
  package init(
    bodyFrom reader: inout ByteReader, remembering memory: inout CodingMemory?
  ) throws(DecodingFailure) {
    swap(&reader.memory, &memory)
    do {
      self.init(try DotTable.Delta(from: &reader, reading: Document.RowReader.self))
    } catch {
      reader.memory = memory
      memory = nil
      throw error
    }
    swap(&reader.memory, &memory)
  }

  /// Creates the delta that the bytes hold, as deltas of any type are created, but
  /// faster.
  ///
  /// - Complexity: O(`bytes.count`), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not wholly in order.
  public init(decoding bytes: [UInt8], memoryBytesMax: Int = .max) throws(DecodingFailure) {
    var memoryLeft = memoryBytesMax
    try self.init(decoding: bytes, memoryLeft: &memoryLeft)
  }

  /// Creates the delta that the bytes hold, and counts the memory that it takes.
  package init(decoding bytes: [UInt8], memoryLeft: inout Int) throws(DecodingFailure) {
    var reader = try BinaryFormat.openBody(of: bytes, typeCode: Self.typeCode)
    reader.limitMemory(to: memoryLeft)
    try BinaryFormat.verifyChecksum(of: bytes)
    self.init(try DotTable.Delta(from: &reader, reading: Document.RowReader.self))
    guard reader.remaining == 0 else { throw reader.failure(.trailingBytes) }
    memoryLeft -= reader.memoryTaken
  }
}
