extension VersionVector: Codable {
  /// A replica's text form as the key of its counter.
  private struct ReplicaKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ replica: ReplicaID) { stringValue = replica.description }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes counters by replica.
  ///
  /// - Complexity: O(n log n) for n replicas.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: ReplicaKey.self)
    var entries: [Entry] = []
    for key in container.allKeys {
      let counter = try container.decode(UInt64.self, forKey: key)
      guard let replica = ReplicaID(key.stringValue), counter > 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container,
          debugDescription: "A version has a counter from 1 for each replica identifier.")
      }
      entries.append(Entry(replica, counter))
    }
    entries.sort { $0.replica < $1.replica }
    for (entry, next) in zip(entries, entries.dropFirst()) where entry.replica == next.replica {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath,
          debugDescription: "The replica \(entry.replica) has two counters."))
    }
    self.init(sortedEntries: ContiguousArray(entries))
  }

  /// Encodes counters by replica: an object whose keys are text forms of replicas.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: ReplicaKey.self)
    for entry in self { try container.encode(entry.counter, forKey: ReplicaKey(entry.replica)) }
  }
}
