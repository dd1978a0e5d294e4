import CRDTKit

/// The rows that undos have put back are kept among the local values, one value for each.
extension Document.PutBackRows {
  /// The most rows that are kept.
  private static var countMax: Int { 4_096 }
  private static var area: String { "putback/" }

  /// Reads the rows from local values.
  init(_ local: LocalValues) {
    self.init()
    for (key, value) in local where key.hasPrefix(Self.area) {
      var reader = ByteReader(value)
      guard let dot = try? Self.dot(from: &reader), let time = try? reader.readVarint() else {
        continue
      }
      var dots: [Dot] = []
      while reader.remaining > 0, let older = try? Self.dot(from: &reader) { dots.append(older) }
      origins[dot] = Origin(dots: dots, time: time)
    }
  }

  /// Replaces the rows by those after a commit, without rows that are gone; returns the
  /// changes to store.
  mutating func update(to newer: Self, isThere: (Dot) -> Bool) -> [LocalChange] {
    if newer.origins.count == origins.count { return [] }
    var kept = newer.origins.filter { isThere($0.key) }
    if kept.count > Self.countMax {
      for dot in kept.keys.sorted().prefix(kept.count - Self.countMax) { kept[dot] = nil }
    }
    let gone = origins.keys.filter { kept[$0] == nil }.sorted()
    let added = kept.filter { origins[$0.key] == nil }.sorted { $0.key < $1.key }
    origins = kept
    return gone.map { LocalChange(key: Self.key(of: $0), value: nil) }
      + added.map { LocalChange(key: Self.key(of: $0), value: Self.bytes(of: $0, $1)) }
  }

  private static func key(of dot: Dot) -> String {
    "\(area)\(dot.replica)/\(dot.counter)"
  }

  private static func bytes(of dot: Dot, _ origin: Origin) -> [UInt8] {
    var writer = ByteWriter()
    dot.replica.encode(to: &writer)
    writer.write(varint: dot.counter)
    writer.write(varint: origin.time)
    for older in origin.dots {
      older.replica.encode(to: &writer)
      writer.write(varint: older.counter)
    }
    return writer.finish()
  }

  private static func dot(from reader: inout ByteReader) throws(DecodingFailure) -> Dot {
    Dot(try ReplicaID(from: &reader), try reader.readVarint())
  }
}
