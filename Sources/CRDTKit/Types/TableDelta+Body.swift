extension TableDelta {
  /// Writes the delta's canonical form alone, but for what was written before and
  /// is remembered.
  ///
  /// There is no header and no checksum: what the body is written into has its own.
  /// The bodies that share a memory can be read only in the order in which they were
  /// written, from the one on that began with none. To begin anew, set the memory to
  /// `nil`. A body that was written and then thrown away has left its names in the
  /// memory: go on with none, or with a copy of the variable made before, which costs
  /// a copy of all that is remembered.
  ///
  /// - Complexity: O(size of the delta).
  @inlinable
  package func encodeBody(
    to writer: inout ByteWriter, remembering memory: inout CodingMemory?
  ) {
    // The writer changes the memory, and must be alone in that.
    if !isKnownUniquelyReferenced(&memory) { memory = memory?.copied() }
    swap(&writer.memory, &memory)
    encode(to: &writer)
    swap(&writer.memory, &memory)
  }

  /// Reads what ``encodeBody(to:remembering:)`` wrote, with what was read before and
  /// is remembered.
  ///
  /// The reader stands after the body then. A memory with which all bodies were read
  /// is that with which they were written: the next body can be written with it.
  /// After an error there is none: what follows can't be read.
  ///
  /// - Complexity: O(size of the delta), in time and in memory.
  /// - Throws: ``DecodingFailure`` where the bytes are not in order.
  @inlinable
  package init(
    bodyFrom reader: inout ByteReader, remembering memory: inout CodingMemory?
  ) throws(DecodingFailure) {
    swap(&reader.memory, &memory)
    do {
      try self.init(from: &reader)
    } catch {
      reader.memory = memory
      memory = nil
      throw error
    }
    swap(&reader.memory, &memory)
  }
}
