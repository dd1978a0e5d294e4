/// How a field is read when several values were written concurrently.
///
/// Rules read what all copies hold alike. A rule can be changed at any time,
/// without touching the data; a copy that still has the old rule reads the same
/// data under that one.
public enum FieldRule: Hashable, Sendable {
  /// The value with the greatest stamp is shown; the others stay readable until
  /// the next write.
  ///
  /// It is the default, but for sets: see ``Schema``.
  case lastWriterWins
  /// The value with the least stamp is shown. A field that has a value isn't
  /// written again.
  case firstWriterWins
  /// The greatest value is shown. A value that isn't greater isn't written.
  case max
  /// The least value is shown. A value that isn't less isn't written.
  case min
  /// A concurrent write of one of these replicas wins over others: "the server
  /// wins". A later write by anyone who saw it replaces it.
  ///
  /// An authority that isn't a replica itself is named by
  /// ``ReplicaID/authority(named:)``, which means all of its delegates.
  case authority(Set<ReplicaID>)
  /// A concurrent write of any other replica wins over these: "the client wins".
  ///
  /// An authority's name means all of its delegates.
  case deferTo(othersThan: Set<ReplicaID>)
  /// Concurrent values are a ``Document/Conflict`` until someone resolves it, or
  /// writes the field. The one with the greatest stamp is shown meanwhile. A removal
  /// is no value: it gives way to what is written concurrently.
  ///
  /// A value that is written over stays in the encoded bytes, as the one that both sides
  /// began with, until the write after the next. To get rid of a secret, write the field
  /// twice, or give it another rule.
  case manual
  /// A sum, to which every replica adds.
  ///
  /// It is a whole number. An amount with decimals is counted in its smallest unit, as
  /// cents; where a unit or currency belongs to it and it isn't added up, keep both in
  /// a ``WholeValue``, so that nobody's amount ends up with another's currency.
  case counter
  /// A set of values: adding one wins over removing it concurrently.
  case set
  /// A value that knows itself how to merge, such as an ``ORSet`` or a
  /// ``PNCounter``: where a model is read, it has all that was written concurrently.
  ///
  /// Its state is one value of the document, in its canonical bytes; so are those of all
  /// fields beneath, if they have no other rule. A model that is written adds what it
  /// knows to what is there. Read as plain values, the field shows the bytes that were
  /// written last.
  case merged
}

extension FieldRule: Codable {
  private static let plain: [(name: String, rule: FieldRule)] = [
    ("lastWriterWins", .lastWriterWins), ("firstWriterWins", .firstWriterWins),
    ("max", .max), ("min", .min), ("manual", .manual), ("counter", .counter), ("set", .set),
    ("merged", .merged),
  ]

  private enum CodingKeys: String, CodingKey {
    case authority, deferToOthersThan
  }

  /// The rule's name, as in JSON.
  var name: String {
    switch self {
    case .authority: CodingKeys.authority.stringValue
    case .deferTo: CodingKeys.deferToOthersThan.stringValue
    default: Self.plain.first { $0.rule == self }?.name ?? ""
    }
  }

  /// Decodes a rule's name, or an object with one of `authority` and
  /// `deferToOthersThan`, which lists replicas.
  public init(from decoder: any Decoder) throws {
    if let name = try? decoder.singleValueContainer().decode(String.self) {
      guard let known = Self.plain.first(where: { $0.name == name }) else {
        let names = Self.plain.map(\.name).joined(separator: ", ")
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: "There is no rule '\(name)'; rules are \(names), "
              + "and objects with authority or deferToOthersThan."))
      }
      self = known.rule
      return
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if container.contains(.authority) {
      self = .authority(try container.decode(Set<ReplicaID>.self, forKey: .authority))
    } else {
      let replicas = try container.decode(Set<ReplicaID>.self, forKey: .deferToOthersThan)
      self = .deferTo(othersThan: replicas)
    }
  }

  /// Encodes the rule's name, or an object that lists replicas in order.
  public func encode(to encoder: any Encoder) throws {
    if let plain = Self.plain.first(where: { $0.rule == self }) {
      var container = encoder.singleValueContainer()
      return try container.encode(plain.name)
    }
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .authority(let replicas): try container.encode(replicas.sorted(), forKey: .authority)
    case .deferTo(let replicas):
      try container.encode(replicas.sorted(), forKey: .deferToOthersThan)
    default: break
    }
  }
}
