extension LWWRegister: BytesCodable {
  /// The code of registers, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [32] + Value.typeCode }

  /// Writes the stamp, then the value.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    stamp.encode(to: &writer)
    content.encode(to: &writer)
  }

  /// Reads the stamp and the value.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    self = try reader.readNested { (reader) throws(DecodingFailure) in
      let stamp = try HybridTimestamp(from: &reader)
      return LWWRegister(try Value(from: &reader), at: stamp)
    }
  }
}

extension LWWRegister.Version: BytesCodable {
  /// The code of versions, then the register's.
  @inlinable
  public static var typeCode: [UInt8] { [30] + LWWRegister.typeCode }

  /// Writes the stamp, then 16 bytes that tell the value from others.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    timestamp.encode(to: &writer)
    digest.encode(to: &writer)
  }

  /// Reads the stamp and what tells the value from others.
  ///
  /// In version 1 of the format that were eight bytes, which say nothing today: whoever is
  /// asked for what is new since then gives the write once more.
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
  /// The code of deltas, then the register's.
  @inlinable
  public static var typeCode: [UInt8] { [31] + LWWRegister.typeCode }

  /// Writes 0 for nothing; 1 and the register otherwise.
  @inlinable
  public func encode(to writer: inout ByteWriter) {
    register.encode(to: &writer)
  }

  /// Reads 0 as nothing, or 1 and the register.
  @inlinable
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    register = try LWWRegister?(from: &reader)
  }
}

extension LWWRegister: MapValue {
  /// Creates the register that its rows in a map read as: of concurrent writes,
  /// the one with the greatest stamp; `nil` where there is none.
  @inlinable
  public init?(table: DotTable<Unit, LWWRegister>) {
    var winner: LWWRegister?
    table.forEachRow { _, row in
      if winner == nil { winner = row.payload } else { winner?.merge(row.payload) }
    }
    guard let winner else { return nil }
    self = winner
  }
}

extension Editor {
  /// Writes a value into the register; says whether that changed it.
  ///
  /// A write at a stamp that is less than that of a write seen here has no effect.
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
    scope.write(Row(key: Unit(), payload: register), killing: dots)
    return true
  }
}
