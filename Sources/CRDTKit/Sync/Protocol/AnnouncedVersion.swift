/// The version that one side of a stream has announced.
///
/// Both sides keep it, so that only changes are announced.
struct AnnouncedVersion: Sendable {
  private(set) var version: VersionVector

  init(_ version: VersionVector = [:]) {
    self.version = version
  }

  /// Writes the changes since the last announcement, as many as fit, and counts them as
  /// announced.
  ///
  /// Returns `nil` if there are none.
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
      // At most three numbers, of ten, eight and eight bytes.
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

  /// Reads an announcement, and adds it to the announced version.
  mutating func take(
    from reader: inout ByteReader, maximumReplicas: Int
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
      guard count <= maximumReplicas else {
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
  /// The number of entries up to which setting them one by one is faster than a pass over
  /// all.
  private static var few: Int { 8 }

  /// Merges another version, which mostly names few of many replicas.
  ///
  /// - Complexity: O(`other.count` · log `count`) if `other` names few replicas, and all
  ///   of them are known here; at most O(`count` + `other.count`).
  @usableFromInline
  mutating func note(_ other: VersionVector) {
    guard other.count < Self.few else { return merge(other) }
    for entry in other where entry.counter > self[entry.replica] {
      self[entry.replica] = entry.counter
    }
  }

  /// Sets the event counts of some replicas, in ascending order; 0 removes an entry.
  ///
  /// - Complexity: As of ``note(_:)``.
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
