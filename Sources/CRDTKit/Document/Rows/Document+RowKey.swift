extension Document {
  /// The subject of a row: a field, an element of a set, where an element of a list stands,
  /// a mark of a text, or a record as a whole.
  public struct RowKey: Sendable {
    /// The part of its place that a row is about.
    enum Part: Sendable {
      /// The record's existence; without such a row the record is absent.
      case existence
      /// The record's deletion.
      case deletion
      /// The field with this name.
      case field(String)
      /// An element of the set at the place.
      case element(Value)
      /// Where the element with this name stands in the list at the place.
      case position(String)
      /// The mark with this name of the text of the field whose content would be at the place.
      case mark(String)

      var isMark: Bool { if case .mark = self { true } else { false } }

      /// Whether the part belongs to a record's content, and not to the record as a
      /// whole.
      var isContent: Bool {
        switch self {
        case .existence, .deletion: false
        case .field, .element, .position, .mark: true
        }
      }
    }

    let place: Place
    let part: Part

    init(_ place: Place, _ part: Part) {
      self.place = place
      self.part = part
    }

    /// The start of the text that the field with this key holds.
    ///
    /// It is made from the bytes of the names. Names that are spelled differently and are
    /// equal as strings have different starts.
    var textStart: Dot {
      var writer = ByteWriter()
      place.encode(to: &writer, after: nil)
      fieldName?.encode(to: &writer)
      return writer.withBytes { Dot.start(of: $0) }
    }

    /// The name of the row's field; `nil` if the row has another subject.
    var fieldName: String? {
      if case .field(let name) = part { name } else { nil }
    }

    /// Whether the row is an element of the set at a place.
    func isElement(of set: Place) -> Bool {
      if case .element = part { place == set } else { false }
    }
  }
}

extension Document.RowKey: Hashable {
  /// Whether both have the same subject.
  public static func == (left: Self, right: Self) -> Bool {
    left.place == right.place && left.part == right.part
  }

  /// Hashes the place and the part.
  ///
  /// A record's existence and deletion have one hash: both are found by one search.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(place.hash)
    switch part {
    case .existence, .deletion: hasher.combine(Self.recordMark)
    case .field(let name): KeyIdentity.hash(name, into: &hasher)
    case .element(let value): hasher.combine(value)
    case .position(let name):
      hasher.combine(2 as UInt8)
      KeyIdentity.hash(name, into: &hasher)
    case .mark(let name):
      hasher.combine(3 as UInt8)
      KeyIdentity.hash(name, into: &hasher)
    }
  }

  /// What is hashed after a record's place in the keys of the rows about it as a whole.
  static let recordMark: UInt8 = 0

  /// A number computed from the names, the same on every machine.
  public var _fingerprint: UInt64 {
    let (mark, word): (UInt64, UInt64) =
      switch part {
      case .existence: (0, 0)
      case .deletion: (1, 0)
      case .field(let name): (2, name._fingerprint)
      case .element(let value): (3, value._fingerprint)
      case .position(let name): (4, name._fingerprint)
      case .mark(let name): (5, name._fingerprint)
      }
    var fingerprint = Fingerprint(mark)
    fingerprint.combine(place.fingerprint)
    fingerprint.combine(word)
    return fingerprint.value
  }
}

extension Document.RowKey.Part: Equatable {
  static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.existence, .existence), (.deletion, .deletion): true
    case (.field(let left), .field(let right)), (.position(let left), .position(let right)),
      (.mark(let left), .mark(let right)):
      KeyIdentity.areSame(left, right)
    case (.element(let left), .element(let right)): left == right
    default: false
    }
  }
}

extension Document.RowKey: GroupedKey {
  /// A row is grouped under its record and each object around it; an existence row, also
  /// under its collection and under all records.
  @usableFromInline
  package func forEachPrefixHash(_ body: (Int) -> Void) {
    var place: Document.Place? = place
    while let current = place {
      body(current.hash)
      place = current.parent
    }
    switch part {
    case .existence:
      body(self.place.collectionHash)
      body(Self.existencesHash)
    case .deletion, .field, .element, .position, .mark: break
    }
  }

  /// The hash under which all existing records are grouped.
  static let existencesHash = 0x45_7869_7374
}
