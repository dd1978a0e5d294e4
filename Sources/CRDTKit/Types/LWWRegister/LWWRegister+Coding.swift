extension LWWRegister: BytesCodable {
  /// The type code of registers, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [32] + Value.typeCode }

  /// Encodes the timestamp, then the value.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    stamp.encode(to: &writer)
    content.encode(to: &writer)
  }

  /// Decodes the timestamp and the value.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      let stamp = try HybridTimestamp(from: &reader)
      return LWWRegister(try Value(from: &reader), at: stamp)
    }
  }
}

extension LWWRegister.Version: BytesCodable {
  /// The type code of versions, then the register's.
  @inlinable
  public static var typeCode: [UInt8] { [30] + LWWRegister.typeCode }

  /// Encodes the timestamp, then the 16 bytes of the value's digest.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    timestamp.encode(to: &writer)
    digest.encode(to: &writer)
  }

  /// Decodes the timestamp and the value's digest.
  ///
  /// Version 1 of the format had eight bytes, which have no meaning today. A replica that
  /// is asked for the changes since such a version sends the write again.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    timestamp = try HybridTimestamp(from: &reader)
    guard reader.formatVersion > 1 else {
      _ = try reader.readFixed(UInt64.self)
      digest = ShortDigest(0, 0)
      return
    }
    digest = try ShortDigest(from: &reader)
  }
}

extension LWWRegister.Delta: BytesCodable {
  /// The type code of deltas, then the register's.
  @inlinable
  public static var typeCode: [UInt8] { [31] + LWWRegister.typeCode }

  /// Encodes 0 for an empty delta; 1 and the register otherwise.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    register.encode(to: &writer)
  }

  /// Decodes 0 as an empty delta, or 1 and the register.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    register = try LWWRegister?(from: &reader)
  }
}

extension LWWRegister: MapValue {
  /// Creates the register from its rows in a map: of concurrent writes, the one with the
  /// greatest timestamp; `nil` if there is none.
  @inlinable
  public init?(_table table: DotTable<NoPayload, LWWRegister>) {
    var winner: LWWRegister?
    table.forEachRow { _, row in
      if winner == nil { winner = row.payload } else { winner?.merge(row.payload) }
    }
    guard let winner else { return nil }
    self = winner
  }

  /// A row is a register.
  @inlinable
  public init?(_only payload: LWWRegister) {
    self = payload
  }
}

extension Editor {
  /// Writes a value into the register, and returns whether that changed it.
  ///
  /// A write has no effect if its timestamp is less than that of a write seen here.
  @inlinable
  @discardableResult
  public mutating func set<Content>(_ value: Content, at timestamp: HybridTimestamp) -> Bool
  where Value == LWWRegister<Content> {
    let dots = scope.dots()
    var register = LWWRegister(value, at: timestamp)
    for dot in dots {
      guard let seen = scope.row(at: dot)?.payload else { continue }
      register.merge(seen)
    }
    guard register == LWWRegister(value, at: timestamp) else { return false }
    scope.write(Row(key: NoPayload(), payload: register), killing: dots)
    return true
  }
}
