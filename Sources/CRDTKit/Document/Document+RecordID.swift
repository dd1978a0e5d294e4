extension Document {
  /// Which record it is: its name, and the collection that it is in.
  ///
  /// Names that are equal as texts, in whatever spelling, are those of one record.
  public struct RecordID: Sendable {
    /// The name of the collection.
    public let collection: String
    /// The name of the record.
    public let record: String

    /// Creates the name of a record in a collection.
    public init(_ record: String, in collection: String) {
      self.record = record
      self.collection = collection
    }
  }
}

extension Document.RecordID {
  init(_ place: Document.Place) {
    self.init(place.record, in: place.collection)
  }
}

extension Document.RecordID: Hashable {
  /// Whether both name the same record.
  public static func == (left: Self, right: Self) -> Bool {
    KeyIdentity.areSame(left.record, right.record)
      && KeyIdentity.areSame(left.collection, right.collection)
  }

  /// Takes in both names.
  public func hash(into hasher: inout Hasher) {
    KeyIdentity.hash(collection, into: &hasher)
    KeyIdentity.hash(record, into: &hasher)
  }
}

extension Document.RecordID: Comparable {
  /// Whether one comes first: by collection, then by record, each as texts are
  /// ordered.
  public static func < (left: Self, right: Self) -> Bool {
    KeyIdentity.areSame(left.collection, right.collection)
      ? KeyIdentity.areInOrder(left.record, right.record)
      : KeyIdentity.areInOrder(left.collection, right.collection)
  }
}

extension Document.RecordID: CustomStringConvertible {
  /// The record and its collection.
  public var description: String { "\(record.visible) in \(collection.visible)" }
}

extension KeyIdentity {
  /// Whether one text comes before another that isn't the same.
  ///
  /// Those that are compared as bytes come after all others: so the order agrees
  /// with what is the same.
  fileprivate static func areInOrder(_ left: String, _ right: String) -> Bool {
    let isLong = (
      left.utf8.count > normalizedLengthMax, right.utf8.count > normalizedLengthMax
    )
    switch isLong {
    case (false, false): return left < right
    case (true, true): return left.comes(before: right)
    case (let isLeftLong, _): return !isLeftLong
    }
  }
}
