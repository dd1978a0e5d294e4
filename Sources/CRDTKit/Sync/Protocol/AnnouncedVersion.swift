/// What one side of a stream has said that it has seen: both sides keep the same, so
/// that only what has changed is said again.
struct AnnouncedVersion: Sendable {
  private(set) var version: VersionVector

  init(_ version: VersionVector = [:]) {
    self.version = version
  }

  /// Writes what a version has beyond what was said, and counts it as said; as much as
  /// fits, and `nil` where there is nothing.
  mutating func encode(_ news: VersionVector, bytesMax: Int) -> [UInt8]? {
    var writer = ByteWriter()
    var said: ContiguousArray<VersionVector.Entry> = []
    var next = 0
    var place = 0
    for entry in news {
      while place < version.count, version[place].replica < entry.replica { place += 1 }
      let isNew = place == version.count || version[place].replica != entry.replica
      let before = isNew ? 0 : version[place].counter
      guard entry.counter > before else { continue }
      // Three numbers at most, of ten, eight and eight bytes.
      guard writer.count + 26 <= bytesMax else { break }
      writer.write(varint: UInt64(place - next) << 1 | (isNew ? 1 : 0))
      if isNew { entry.replica.encode(to: &writer) }
      writer.write(varint: entry.counter - before)
      said.append(entry)
      next = isNew ? place : place + 1
    }
    guard !said.isEmpty else { return nil }
    version.replace(with: said)
    return writer.finish()
  }

  /// Reads what was written, and counts it as said.
  mutating func take(
    from reader: inout ByteReader, replicasMax: Int
  ) throws(DecodingFailure) {
    var said: ContiguousArray<VersionVector.Entry> = []
    var count = version.count
    var next = 0
    while reader.remaining > 0 {
      let start = reader.offset
      let step = try reader.readVarint()
      guard step >> 1 <= UInt64(version.count - next) else {
        throw DecodingFailure(.outOfBounds("a replica's place"), at: start)
      }
      let place = next + Int(step >> 1)
      let isNew = step & 1 == 1
      let before =
        isNew
        ? try newEntry(at: place, after: said.last?.replica, from: &reader)
        : try knownEntry(at: place, start)
      let more = try reader.readVarint()
      guard more > 0, more <= Dot.counterMax - before.counter else {
        throw DecodingFailure(.outOfBounds("an event's counter"), at: start)
      }
      said.append(VersionVector.Entry(before.replica, before.counter + more))
      next = isNew ? place : place + 1
      if isNew { count += 1 }
      guard count <= replicasMax else {
        throw DecodingFailure(.outOfBounds("the number of replicas"), at: start)
      }
    }
    version.replace(with: said)
  }

  private func newEntry(
    at place: Int, after previous: ReplicaID?, from reader: inout ByteReader
  ) throws(DecodingFailure) -> VersionVector.Entry {
    let start = reader.offset
    let replica = try reader.readReplica(after: previous)
    guard version.place(of: replica) == place, version[replica] == 0 else {
      throw DecodingFailure(.notCanonical("a replica that is not new"), at: start)
    }
    return VersionVector.Entry(replica, 0)
  }

  private func knownEntry(
    at place: Int, _ start: Int
  ) throws(DecodingFailure) -> VersionVector.Entry {
    guard place < version.count else {
      throw DecodingFailure(.outOfBounds("a replica's place"), at: start)
    }
    return version[place]
  }
}

extension VersionVector {
  /// How few entries are better set one by one than in a walk over all.
  private static var few: Int { 8 }

  /// Takes in all that another version has seen, as merging does; mostly that names few
  /// of many replicas.
  ///
  /// - Complexity: O(`other.count` · log `count`) where those are few that are known, and
  ///   O(`count` + `other.count`) at most.
  @usableFromInline
  mutating func note(_ other: VersionVector) {
    guard other.count < Self.few else { return merge(other) }
    for entry in other where entry.counter > self[entry.replica] {
      self[entry.replica] = entry.counter
    }
  }

  /// Sets how many events of some replicas have been seen, in ascending order; 0 takes
  /// one out.
  ///
  /// - Complexity: As of noting.
  @usableFromInline
  mutating func replace(with others: ContiguousArray<Entry>) {
    guard others.count >= Self.few else {
      for entry in others { self[entry.replica] = entry.counter }
      return
    }
    var merged: ContiguousArray<Entry> = []
    merged.reserveCapacity(entries.count + others.count)
    var place = 0
    for entry in others {
      while place < entries.count, entries[place].replica < entry.replica {
        merged.append(entries[place])
        place += 1
      }
      if place < entries.count, entries[place].replica == entry.replica { place += 1 }
      if entry.counter > 0 { merged.append(entry) }
    }
    merged.append(contentsOf: entries[place...])
    entries = merged
  }
}
