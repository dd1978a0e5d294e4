extension Document.Value: Codable {
  /// Encodes the value as what JSON has: null, a truth value, a number, a text, an
  /// array or an object.
  ///
  /// What JSON has not stands in an object of one member:
  ///
  /// | object | what it stands for |
  /// |---|---|
  /// | `{"$bytes": "aGk="}` | bytes, in base64 |
  /// | `{"$timestamp": 5.5}` | a moment, in seconds since the beginning of 2001 |
  /// | `{"$double": "nan"}` | a number that is none, or infinite: `infinity`, `-infinity` |
  /// | `{"$object": {"$bytes": "aGk="}}` | the inner object as it is |
  ///
  /// A server is told moments as text instead: see `OperationEnvelope` of CRDTStore.
  ///
  /// JSON has one kind of number: a ``double(_:)`` of a whole worth is read again as
  /// an ``int(_:)``.
  ///
  /// - Complexity: O(size of the value).
  public func encode(to encoder: any Encoder) throws {
    try PlainValue(tagged).encode(to: encoder)
  }

  /// Decodes a value in the form in which it is encoded.
  ///
  /// An object of one member that isn't one of those forms is just an object.
  ///
  /// - Complexity: O(size of the value).
  /// - Throws: `DecodingError` where the value could not be written to a document:
  ///   values nested deeper than ``depthMax``, a name longer than
  ///   ``nameLengthMax``, or two names that are the same text.
  public init(from decoder: any Decoder) throws {
    let value = try PlainValue(from: decoder).value.untagged
    guard value.depth <= Self.depthMax else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "Values are nested deeper than \(Self.depthMax) levels."))
    }
    self = value
  }
}
