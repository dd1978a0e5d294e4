extension Document {
  /// One difference between two versions of a model: the change of one field.
  ///
  /// A change expresses its author's intent: that a number was increased by 2, and not
  /// that it was 7. So you can apply it to another version, and undo it.
  public struct FieldChange: Hashable, Sendable {
    /// The field.
    public var path: FieldPath
    /// The kind of change, with its values.
    public var change: Kind

    /// A kind of change.
    public enum Kind: Hashable, Sendable {
      /// The field is assigned a value, in place of another or none.
      ///
      /// In a text or list, only the difference of the two is applied.
      case assign(Value, before: Value?)
      /// The field is removed; `before` is its last value.
      case remove(before: Value?)
      /// The field is counted up, or down by a negative amount.
      case increment(Int64)
      /// Elements are added to the field's set.
      case insert([Value])
      /// Elements are removed from the field's set.
      case take([Value])
    }

    /// Creates a change of a field.
    public init(_ path: FieldPath, _ change: Kind) {
      self.path = path
      self.change = change
    }
  }
}

extension Document.FieldChange {
  /// The change that undoes this one.
  public var inverse: Document.FieldChange {
    let undoing: Kind =
      switch change {
      case .assign(let value, before: let before?): .assign(before, before: value)
      case .assign(let value, before: nil): .remove(before: value)
      case .remove(before: let before?): .assign(before, before: nil)
      case .remove(before: nil): .remove(before: nil)
      case .increment(let amount): .increment(amount == .min ? .max : -amount)
      case .insert(let elements): .take(elements)
      case .take(let elements): .insert(elements)
      }
    return Document.FieldChange(path, undoing)
  }
}

extension Document.FieldChange: CustomStringConvertible {
  /// The path and the change.
  public var description: String {
    let path = path.description.visible
    return switch change {
    case .assign(let value, _): "\(path) = \(value)"
    case .remove: "\(path) removed"
    case .increment(let amount): "\(path) \(amount < 0 ? "-" : "+")= \(amount.magnitude)"
    case .insert(let elements): "\(path) + \(Document.Value.array(elements))"
    case .take(let elements): "\(path) - \(Document.Value.array(elements))"
    }
  }
}

extension Document.FieldChange: CanonicalCodable {
  private enum Mark {
    static let assign: UInt8 = 0
    static let remove: UInt8 = 1
    static let increment: UInt8 = 2
    static let insert: UInt8 = 3
    static let take: UInt8 = 4
  }

  /// Writes the names of the path, a byte for the kind of change, and the values.
  public func encode(to writer: inout ByteWriter) {
    path.names.encode(to: &writer)
    switch change {
    case .assign(let value, let before):
      writer.write(Mark.assign)
      value.encode(to: &writer)
      before.encode(to: &writer)
    case .remove(let before):
      writer.write(Mark.remove)
      before.encode(to: &writer)
    case .increment(let amount):
      writer.write(Mark.increment)
      writer.write(signedVarint: amount)
    case .insert(let elements):
      writer.write(Mark.insert)
      elements.encode(to: &writer)
    case .take(let elements):
      writer.write(Mark.take)
      elements.encode(to: &writer)
    }
  }

  /// Reads a change; throws if no document could apply it.
  public init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let path = FieldPath(try [String](from: &reader))
    let mark = try reader.readByte()
    switch mark {
    case Mark.assign:
      let value = try Document.Value(from: &reader)
      change = .assign(value, before: try Document.Value?(from: &reader))
    case Mark.remove: change = .remove(before: try Document.Value?(from: &reader))
    case Mark.increment: change = .increment(try reader.readSignedVarint())
    case Mark.insert: change = .insert(try [Document.Value](from: &reader))
    case Mark.take: change = .take(try [Document.Value](from: &reader))
    default: throw DecodingFailure(.notCanonical("the kind of a change"), at: start)
    }
    self.path = path
    guard isUsable else {
      throw DecodingFailure(.invalidValue("a change that no record can take"), at: start)
    }
  }
}

extension Document.FieldChange: Codable {
  private enum CodingKeys: String, CodingKey {
    case path, change, value, before, elements
  }

  private enum Name: String, Codable {
    case assign, remove, increment, insert, take
  }

  /// Encodes the path, the name of the kind of change, and the values.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(path, forKey: .path)
    switch change {
    case .assign(let value, let before):
      try container.encode(Name.assign, forKey: .change)
      try container.encode(value, forKey: .value)
      try container.encodeIfPresent(before, forKey: .before)
    case .remove(let before):
      try container.encode(Name.remove, forKey: .change)
      try container.encodeIfPresent(before, forKey: .before)
    case .increment(let amount):
      try container.encode(Name.increment, forKey: .change)
      try container.encode(amount, forKey: .value)
    case .insert(let elements):
      try container.encode(Name.insert, forKey: .change)
      try container.encode(elements, forKey: .elements)
    case .take(let elements):
      try container.encode(Name.take, forKey: .change)
      try container.encode(elements, forKey: .elements)
    }
  }

  /// Decodes a change; throws if no document could apply it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    path = try container.decode(FieldPath.self, forKey: .path)
    // A missing member means that the field was absent; a null member means that it was
    // null.
    let before =
      container.contains(.before)
      ? try container.decode(Document.Value.self, forKey: .before) : nil
    switch try container.decode(Name.self, forKey: .change) {
    case .assign:
      change = .assign(
        try container.decode(Document.Value.self, forKey: .value), before: before)
    case .remove: change = .remove(before: before)
    case .increment: change = .increment(try container.decode(Int64.self, forKey: .value))
    case .insert:
      change = .insert(try container.decode([Document.Value].self, forKey: .elements))
    case .take: change = .take(try container.decode([Document.Value].self, forKey: .elements))
    }
    guard isUsable else {
      throw DecodingError.dataCorruptedError(
        forKey: .path, in: container, debugDescription: "No record can take the change.")
    }
  }
}

extension Document.FieldChange {
  /// Whether a document can apply the change.
  package var isUsable: Bool {
    let depth =
      switch change {
      case .assign(let value, _): value.depth
      case .insert(let elements), .take(let elements): elements.lazy.map(\.depth).max() ?? 0
      case .remove, .increment: 0
      }
    return path.isUsable && path.names.count + depth <= Document.Value.maximumDepth
  }
}
