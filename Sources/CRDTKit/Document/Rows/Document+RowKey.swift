extension Document {
  /// What a row is about: a field, an element of a set, or a record as a whole.
  public struct RowKey: Sendable {
    /// The part of its place that a row is about.
    enum Part: Sendable {
      /// That the record was created. Without such a row there is no record.
      case existence
      /// That the record was deleted.
      case deletion
      /// The field of the name.
      case field(String)
      /// An element of the set that stands at the place.
      case element(Value)

      /// Whether it is something in a record, and not about the record as a whole.
      var isContent: Bool {
        switch self {
        case .existence, .deletion: false
        case .field, .element: true
        }
      }
    }

    let place: Place
    let part: Part

    init(_ place: Place, _ part: Part) {
      self.place = place
      self.part = part
    }

    /// The name of the field that the row is about; `nil` if it is about none.
    var fieldName: String? {
      if case .field(let name) = part { name } else { nil }
    }

    /// Whether the row is about an element of the set that stands at a place.
    func isElement(of set: Place) -> Bool {
      if case .element = part { place == set } else { false }
    }
  }
}

extension Document.RowKey: Hashable {
  /// Whether both rows are about the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.place == right.place && left.part == right.part
  }

  /// Takes in the place and the part.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(place.hash)
    switch part {
    case .existence: hasher.combine(0 as UInt8)
    case .deletion: hasher.combine(1 as UInt8)
    case .field(let name): KeyIdentity.hash(name, into: &hasher)
    case .element(let value): hasher.combine(value)
    }
  }

  /// A number made from the names, the same on every machine.
  public var fingerprint: UInt64 {
    let (mark, word): (UInt64, UInt64) =
      switch part {
      case .existence: (0, 0)
      case .deletion: (1, 0)
      case .field(let name): (2, name.fingerprint)
      case .element(let value): (3, value.fingerprint)
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
    case (.field(let left), .field(let right)): KeyIdentity.areSame(left, right)
    case (.element(let left), .element(let right)): left == right
    default: false
    }
  }
}

extension Document.RowKey: GroupedKey {
  /// A row is found beneath its record and each object that it is nested in; that
  /// a record exists, beneath its collection and among all records too.
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
    case .deletion, .field, .element: break
    }
  }

  /// The hash beneath which all records that exist are found.
  static let existencesHash = 0x45_7869_7374
}
