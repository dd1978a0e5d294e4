extension CanonicalCodable where Self: Codable {
  /// Writes the type's `Encodable` form, with the names of the fields.
  ///
  /// Fields are in the order of their names, and the elements of a `Set` or `Dictionary`
  /// in the order of their encoded forms. A value with a canonical form of its own, such
  /// as a ``GCounter``, keeps it.
  ///
  /// Replicas must agree on the form, so change a type with care. Fields that are `nil`
  /// are omitted, so you can add an optional field. Replicas that don't know the field
  /// refuse the values that have it.
  ///
  /// - Precondition: The type's `encode(to: Encoder)` doesn't throw. Values are nested at
  ///   most 32 levels deep, or 48 together with the values around them. A custom
  ///   `encode(to: Encoder)` passes a `Set` or `Dictionary` to a container, and doesn't
  ///   call its `encode(to:)`.
  public func encode(to writer: inout ByteWriter) {
    do {
      try NodeEncoder.node(of: self, depth: writer.nodeDepth).encode(to: &writer)
    } catch {
      preconditionFailure("a value of \(Self.self) can't be encoded: \(error)")
    }
  }

  /// Reads the type's `Decodable` form.
  ///
  /// A value is refused if it would be encoded differently than it was read. For example,
  /// it may have fields that the type doesn't know.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let node = try CodableNode(from: &reader)
    let form = reader.bytes[start..<reader.offset]
    do {
      self = try Self(from: NodeDecoder(node, depth: reader.nodeDepth))
      let own = try NodeEncoder.node(of: self, depth: reader.nodeDepth).encodedForm
      guard form.elementsEqual(own) else {
        throw DecodingFailure(.notCanonical("a value of \(Self.self)"), at: start)
      }
    } catch let failure as DecodingFailure {
      throw DecodingFailure(failure.reason, at: start)
    } catch {
      throw DecodingFailure(.invalidValue("a value of \(Self.self) is wrong: \(error)"), at: start)
    }
  }
}

extension BytesCodable {
  /// The canonical form within a node of a struct, without an envelope.
  ///
  /// Tables begin with the version of the format there; version 1 did not need it.
  func formInNode(depth: Int = 0) -> [UInt8] {
    var writer = ByteWriter()
    writer.nodeDepth = depth
    if Self.self is any TableBacked.Type {
      writer.write(BinaryFormat.tableMark)
      writer.write(BinaryFormat.version)
    }
    encode(to: &writer)
    return writer.finish()
  }

  /// Reads the form that ``formInNode(depth:)`` returns.
  init(formInNode bytes: [UInt8], depth: Int = 0) throws(DecodingFailure) {
    var reader = ByteReader(bytes)
    reader.depth = depth
    reader.nodeDepth = depth
    if Self.self is any TableBacked.Type {
      reader.formatVersion = 1
      if bytes.starts(with: BinaryFormat.tableMark) {
        _ = try reader.readBytes(BinaryFormat.tableMark.count)
        reader.formatVersion = try reader.readByte()
        guard (2...BinaryFormat.version).contains(reader.formatVersion) else {
          throw DecodingFailure(.unsupportedVersion(reader.formatVersion), at: 2)
        }
      }
    }
    try self.init(from: &reader)
    guard reader.remaining == 0 else { throw reader.failure(.trailingBytes) }
  }
}
