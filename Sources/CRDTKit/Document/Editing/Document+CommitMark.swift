extension Document {
  /// The events that one commit made.
  package struct CommitEvents: Hashable, Sendable {
    package let replica: ReplicaID
    package let counters: ClosedRange<UInt64>

    package init(of replica: ReplicaID, _ counters: ClosedRange<UInt64>) {
      self.replica = replica
      self.counters = counters
    }

    func contains(_ dot: Dot) -> Bool {
      dot.replica == replica && counters.contains(dot.counter)
    }
  }

  /// What tells later whether what a commit changed is still the same thing.
  ///
  /// A value, an element or a deletion that the commit wrote has a row with one of its
  /// events. The mark is for the rest: counts, what was removed, and the record itself.
  package struct CommitMark: Hashable, Sendable {
    /// What is known of one field.
    package struct Field: Hashable, Sendable {
      package var path: FieldPath
      /// The rows that said that there is an object around the field; none for one of the
      /// record itself.
      package var parents: [Dot] = []
      /// What the replica had counted, where the commit has counted.
      package var tally: Tally?
    }

    /// What a replica had counted in one life of a counter.
    package struct Tally: Hashable, Sendable {
      package var life: UInt64
      package var increments: UInt64
      package var decrements: UInt64
    }

    /// The rows that said that the record exists; none where that isn't known.
    package var births: [Dot] = []
    package var fields: [Field] = []
    /// When the values were written that the commit has taken away as an undo; 0 where it
    /// is none, and what it replaced gives way to what others have written.
    package var time: UInt64 = 0
    /// What had been seen when the commit restored a record; empty where it did not.
    package var seen: VersionVector = [:]

    package init() {}
  }

  /// What is to be known of changes that were just committed, to undo them one day.
  ///
  /// - Complexity: O(changes)
  package func mark(
    of changes: [FieldChange], by replica: ReplicaID, in record: RecordID, time: UInt64 = 0,
    isRestored: Bool = false
  ) -> CommitMark {
    let place = Place(record: record.record, in: record.collection)
    var mark = CommitMark()
    mark.births = Array(table.dots(of: RowKey(place, .existence)))
    mark.time = time
    if isRestored { mark.seen = version }
    for change in changes {
      var field = CommitMark.Field(path: change.path)
      switch change.change {
      case .assign, .insert: continue
      case .remove, .take: if change.path.names.count < 2 { continue }
      case .increment: field.tally = tally(at: change.path, of: replica, in: place)
      }
      if mark.fields.last?.path == change.path { mark.fields.removeLast() }
      field.parents = parents(of: change.path, in: place)
      mark.fields.append(field)
    }
    return mark
  }

  private func parents(of path: FieldPath, in record: Place) -> [Dot] {
    let outer = path.names.dropLast()
    guard let name = outer.last else { return [] }
    let place = outer.dropLast().reduce(record) { $0.appending($1) }
    return Array(table.dots(of: RowKey(place, .field(name))))
  }

  private func tally(
    at path: FieldPath, of replica: ReplicaID, in record: Place
  ) -> CommitMark.Tally? {
    guard let name = path.names.last else { return nil }
    let place = path.names.dropLast().reduce(record) { $0.appending($1) }
    let rows = FieldRows(table.dots(of: RowKey(place, .field(name))), of: table)
    return rows.counter?.runningSum.trace[replica].map { tally in
      CommitMark.Tally(
        life: tally.life, increments: tally.total.increments, decrements: tally.total.decrements)
    }
  }
}

extension Document.CommitMark: CanonicalCodable {
  package func encode(to writer: inout ByteWriter) {
    Self.write(births, to: &writer)
    writer.write(varint: time)
    seen.encode(to: &writer)
    writer.write(varint: UInt64(fields.count))
    for field in fields {
      field.path.names.encode(to: &writer)
      Self.write(field.parents, to: &writer)
      writer.write(field.tally == nil ? 0 : 1)
      guard let tally = field.tally else { continue }
      writer.write(varint: tally.life)
      writer.write(varint: tally.increments)
      writer.write(varint: tally.decrements)
    }
  }

  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    births = try Self.dots(from: &reader)
    time = try reader.readVarint()
    seen = try VersionVector(from: &reader)
    for _ in 0..<(try reader.readCount(of: "fields of a commit")) {
      let start = reader.offset
      var field = Field(path: FieldPath(try [String](from: &reader)))
      guard field.path.isUsable else {
        throw DecodingFailure(.invalidValue("a path that no record has"), at: start)
      }
      field.parents = try Self.dots(from: &reader)
      switch try reader.readByte() {
      case 0: break
      case 1:
        field.tally = Tally(
          life: try reader.readVarint(), increments: try reader.readVarint(),
          decrements: try reader.readVarint())
      default: throw DecodingFailure(.notCanonical("whether a field was counted"), at: start)
      }
      fields.append(field)
    }
  }

  private static func write(_ dots: [Dot], to writer: inout ByteWriter) {
    writer.write(varint: UInt64(dots.count))
    for dot in dots {
      dot.replica.encode(to: &writer)
      writer.write(varint: dot.counter)
    }
  }

  private static func dots(from reader: inout ByteReader) throws(DecodingFailure) -> [Dot] {
    var dots: [Dot] = []
    for _ in 0..<(try reader.readCount(of: "events")) {
      let replica = try ReplicaID(from: &reader)
      let start = reader.offset
      let counter = try reader.readVarint()
      guard (1...Dot.counterMax).contains(counter) else {
        throw DecodingFailure(.outOfBounds("an event"), at: start)
      }
      dots.append(Dot(replica, counter))
    }
    return dots
  }
}
