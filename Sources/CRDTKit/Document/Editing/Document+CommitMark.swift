extension Document {
  /// The events that one commit made.
  package struct CommitEvents: Hashable, Sendable {
    package let replica: ReplicaID
    package let counters: ClosedRange<UInt64>
    /// The rows that stand for the commit's since an undo put them back, with the times of
    /// those.
    var putBack: [Dot: UInt64] = [:]

    package init(of replica: ReplicaID, _ counters: ClosedRange<UInt64>) {
      self.replica = replica
      self.counters = counters
    }

    func contains(_ dot: Dot) -> Bool {
      dot.replica == replica && counters.contains(dot.counter) || putBack[dot] != nil
    }

    /// Whether an event may be an authority's confirmation of what the commit wrote.
    ///
    /// Only other stores let an authority take over a replica's rows. What the replica's own
    /// delegate wrote comes from others.
    func mayBeConfirmed(by dot: Dot) -> Bool {
      dot.replica.isDelegate && !dot.replica.isName(of: replica)
    }
  }

  /// Records what a commit changed, to check later whether that is still there.
  ///
  /// A value, element or deletion that the commit wrote has a row with one of its events.
  /// The mark is for everything else: counts, removals, and the record itself.
  package struct CommitMark: Hashable, Sendable {
    /// The mark of one field.
    package struct Field: Hashable, Sendable {
      package var path: FieldPath
      /// The rows that stated that the object around the field exists; empty for fields
      /// of the record itself.
      package var parents: [Dot] = []
      /// The replica's count, if the commit has counted.
      package var tally: Tally?
    }

    /// A replica's count in one life of a counter.
    package struct Tally: Hashable, Sendable {
      package var life: UInt64
      package var increments: UInt64
      package var decrements: UInt64
    }

    /// The rows that stated that the record exists; empty if unknown.
    package var births: [Dot] = []
    package var fields: [Field] = []
    /// If the commit is an undo, the time when the values that it removed were written;
    /// otherwise 0.
    ///
    /// With 0, the values that the commit replaced are put back so that they lose to
    /// those that others have written.
    package var time: UInt64 = 0
    /// The version when the commit restored a record; empty if it did not.
    package var seen: VersionVector = [:]
    /// The rows that the commit replaced or removed.
    package var replaced: [ReplacedRow] = []
    /// What the commit removed from texts that were there before.
    package var texts: [RemovedText] = []

    package init() {}
  }

  /// The marks of changes that were just committed, which a later undo needs.
  ///
  /// - Complexity: O(changes)
  package func mark(
    of changes: [FieldChange], by replica: ReplicaID, in record: RecordID, time: UInt64 = 0,
    isRestored: Bool = false
  ) -> CommitMark {
    let place = Place(record: record.record, in: record.collection)
    var mark = CommitMark()
    mark.births = births(at: place)
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
    return Array(_table.dots(of: RowKey(place, .field(name))))
  }

  private func tally(
    at path: FieldPath, of replica: ReplicaID, in record: Place
  ) -> CommitMark.Tally? {
    guard let name = path.names.last else { return nil }
    let place = path.names.dropLast().reduce(record) { $0.appending($1) }
    let rows = FieldRows(_table.dots(of: RowKey(place, .field(name))), of: _table)
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

  static func write(_ dots: [Dot], to writer: inout ByteWriter) {
    writer.write(varint: UInt64(dots.count))
    for dot in dots {
      dot.replica.encode(to: &writer)
      writer.write(varint: dot.counter)
    }
  }

  static func dots(from reader: inout ByteReader) throws(DecodingFailure) -> [Dot] {
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

extension Document.ReplacedRow: CanonicalCodable {
  package func encode(to writer: inout ByteWriter) {
    path.names.encode(to: &writer)
    element.encode(to: &writer)
    writer.write(varint: origin.time)
    Document.CommitMark.write(origin.dots, to: &writer)
  }

  package init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    path = FieldPath(try [String](from: &reader))
    guard path.isUsable else {
      throw DecodingFailure(.invalidValue("a path that no record has"), at: start)
    }
    element = try Document.Value?(from: &reader)
    let time = try reader.readVarint()
    origin = .init(dots: try Document.CommitMark.dots(from: &reader), time: time)
  }
}
