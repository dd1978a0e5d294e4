extension Document {
  /// Reads a document's rows: of the row before it keeps the place and the time.
  ///
  /// Meanwhile it has the reader's memory to itself, so that no row has to ask
  /// whether it is shared.
  struct RowReader: CRDTKit.RowReader {
    private let recent: RecentNames
    private var place: Place?
    private var time: UInt64?

    init(from reader: inout ByteReader) {
      recent = RecentNames.of(&reader)
      reader.memory = nil
    }

    @inline(__always)
    mutating func next(
      from reader: inout ByteReader
    ) throws(DecodingFailure) -> Row<RowKey, RowPayload> {
      let key = try RowKey.read(from: &reader, after: &place, recent: recent)
      let payload = try RowPayload(from: &reader, after: time, depth: recent.lastDepth)
      time = payload.time
      return Row(key: key, payload: payload)
    }

    consuming func finish(_ reader: inout ByteReader) {
      reader.memory = recent
    }
  }
}

extension Document {
  /// Reads a document's canonical form.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self.init(table: try DotTable(from: &reader, reading: RowReader.self))
  }

  /// Reads the canonical form of a delta's changes.
  public static func _readChanges(
    from reader: inout ByteReader
  ) throws(DecodingFailure) -> DotTable<RowKey, RowPayload>.Delta {
    try DotTable.Delta(from: &reader, reading: RowReader.self)
  }
}
