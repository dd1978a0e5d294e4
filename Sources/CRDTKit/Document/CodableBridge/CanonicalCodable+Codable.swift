extension CanonicalCodable where Self: Codable {
  /// Writes what the type's own `encode(to: Encoder)` says, in a form with the
  /// names of the fields.
  ///
  /// Fields stand in the order of their names, and the elements of a `Set` or
  /// `Dictionary` in the order of their forms. What has a canonical form of its
  /// own, as a ``GCounter``, keeps it.
  ///
  /// Replicas must agree on the form, so a type changes with care: fields that
  /// are `nil` are left out, so an optional field can be added, and replicas
  /// that don't know it refuse the values that have it.
  ///
  /// - Precondition: The type's `encode(to: Encoder)` doesn't throw, and nests no
  ///   deeper than 32 levels, or 48 with what is around. A custom one doesn't call `encode(to:)` of a `Set`
  ///   or `Dictionary` itself but passes it to a container.
  public func encode(to writer: inout ByteWriter) {
    do {
      try NodeEncoder.node(of: self, depth: writer.nodeDepth).encode(to: &writer)
    } catch {
      preconditionFailure("a value of \(Self.self) can't be encoded: \(error)")
    }
  }

  /// Reads what the type's own `init(from: Decoder)` takes.
  ///
  /// A value that would be encoded otherwise than it was read is refused: one
  /// with fields that the type doesn't know, for instance.
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
  /// The canonical form as it stands within a node of a struct, without an envelope.
  ///
  /// Tables begin with the version of the format there: version 1 had no need to.
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

  /// Reads what ``formInNode(depth:)`` gave.
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
