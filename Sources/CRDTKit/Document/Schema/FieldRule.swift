extension Schema {
  /// Decides how a field is read when several values were written concurrently.
  ///
  /// All copies hold the same rows, and each reads them under its own rules. So you can change
  /// a rule at any time without a change of the data; a copy that still has the old rule reads
  /// the same data under that rule. A write follows the rule too: under ``max``, a value that
  /// is not greater isn't written; under ``text`` and ``list``, a value is written by its
  /// difference. A store's model can't write a field whose type `counter`,
  /// `set`, `text` or `list` doesn't fit.
  @nonexhaustive
  public enum FieldRule: Hashable, Sendable {
    /// The value with the greatest stamp is shown; the others stay readable until the next
    /// write.
    ///
    /// This is the default, except for sets: see ``Schema``.
    case lastWriterWins
    /// The value with the least stamp is shown.
    ///
    /// A field that has a value is not written again.
    case firstWriterWins
    /// The greatest value is shown.
    ///
    /// A value that is not greater is not written.
    case max
    /// The least value is shown.
    ///
    /// A value that is not less is not written.
    case min
    /// A concurrent write of one of these replicas wins: "the server wins".
    ///
    /// A later write by anyone who has seen it replaces it. For an authority that is not a
    /// replica, use ``ReplicaID/authority(named:)``, which stands for all of its delegates.
    case preferring(Set<ReplicaID>)
    /// A concurrent write of any other replica wins over these: "the client wins".
    ///
    /// An authority's identifier stands for all of its delegates.
    case preferringOthers(than: Set<ReplicaID>)
    /// Concurrent values are a ``Document/Conflict`` until it is resolved or the field is
    /// written.
    ///
    /// Meanwhile the value with the greatest stamp is shown. A removal is not a value: it
    /// loses to a concurrent write.
    ///
    /// The encoded bytes keep a replaced value, as the common ancestor of a conflict, until
    /// the write after the next. To erase a secret, write the field twice, or give it
    /// another rule.
    case manual
    /// A sum, to which every replica adds.
    ///
    /// The sum is a whole number. Count an amount with decimals in its smallest unit, such
    /// as cents. If an amount has a unit or currency and is not added up, keep both in a
    /// ``WholeValue``, so that one writer's amount is never paired with another's currency.
    case counter
    /// A set of values: adding a value wins over removing it concurrently.
    case set
    /// A text that several replicas write in at the same time, as a ``ReplicatedText``.
    ///
    /// Concurrent insertions all stay, each in one piece. A string is written by its
    /// difference from the one that it replaces, so that the edits of others in the same text
    /// stay. A string that was written under another rule reads as the text's first content,
    /// until the first edit; if two replicas make that at the same time, the content is there
    /// twice. So is what a server has changed, if two stores take it in before they hear of
    /// each other.
    case text
    /// A list whose elements several replicas insert, move, remove and edit at the same time.
    ///
    /// An array is written by its difference from the one that it replaces. Two objects are
    /// the same element if their fields `id`, texts or numbers, are equal; other elements are,
    /// if they are equal, or stand between the same ones. Elements that were inserted
    /// concurrently all stay; concurrent moves leave an element at one place; a removed object
    /// stays removed, whether it is moved or edited concurrently, and any other element stays
    /// if it is replaced concurrently, perhaps at the end. The fields of an element have paths
    /// such as `tasks.*.title`, with rules of their own; without one, each is one value. An array
    /// that was written under another rule reads as the list's first content. An element
    /// without an `id` that comes from a peer and from a server, before one has told the other,
    /// is there twice.
    case list
    /// A value with a merge of its own, such as an ``ORSet`` or a ``PNCounter``.
    ///
    /// A model that you read has the merge of all concurrent states. A model that you write
    /// adds its state to the existing ones. The state is one value of the document, in its
    /// canonical bytes. The rule also applies to all fields beneath, unless they have
    /// another rule. Read as a plain value, the field shows the bytes that were written
    /// last.
    case merged
  }
}

extension Schema.FieldRule: Codable {
  private static let plain: [(name: String, rule: Schema.FieldRule)] = [
    ("lastWriterWins", .lastWriterWins), ("firstWriterWins", .firstWriterWins),
    ("max", .max), ("min", .min), ("manual", .manual), ("counter", .counter), ("set", .set),
    ("merged", .merged), ("text", .text), ("list", .list),
  ]

  private enum CodingKeys: String, CodingKey {
    case preferring, preferringOthersThan
    // The names that these had before.
    case authority, deferToOthersThan
  }

  /// The rule's name, as in JSON.
  var name: String {
    switch self {
    case .preferring: CodingKeys.preferring.stringValue
    case .preferringOthers: CodingKeys.preferringOthersThan.stringValue
    default: Self.plain.first { $0.rule == self }?.name ?? ""
    }
  }

  /// Decodes a rule's name, or an object with one of `preferring` and
  /// `preferringOthersThan`, which lists replicas.
  public init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      guard let known = Self.plain.first(where: { $0.name == name }) else {
        let names = Self.plain.map(\.name).joined(separator: ", ")
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "There is no rule '\(name)'; rules are \(names), "
              + "and objects with preferring or preferringOthersThan."))
      }
      self = known.rule
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    for key in [CodingKeys.preferring, .authority] where container.contains(key) {
      self = .preferring(try container.decode(Set<ReplicaID>.self, forKey: key))
      return
    }
    let isOld = container.contains(.deferToOthersThan)
    self = .preferringOthers(
      than: try container.decode(
        Set<ReplicaID>.self, forKey: isOld ? .deferToOthersThan : .preferringOthersThan))
  }

  /// Encodes the rule's name, or an object that lists replicas in order.
  public func encode(to encoder: any Encoder) throws {
    if let plain = Self.plain.first(where: { $0.rule == self }) {
      var container = encoder.singleValueContainer()
      return try container.encode(plain.name)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .preferring(let replicas): try container.encode(replicas.sorted(), forKey: .preferring)
    case .preferringOthers(let replicas):
      try container.encode(replicas.sorted(), forKey: .preferringOthersThan)
    default: break
    }
  }
}
