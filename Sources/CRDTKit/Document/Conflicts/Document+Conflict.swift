extension Document {
  /// Values of a ``Schema/FieldRule/manual`` field that were written concurrently and are not
  /// resolved yet.
  ///
  /// All copies list the same conflicts. A resolution on one copy closes the conflict on
  /// all.
  public struct Conflict: Hashable, Sendable, Identifiable {
    /// The collection of the record.
    public let collection: String
    /// The record.
    public let record: String
    /// The field.
    public let path: FieldPath
    /// The values, in descending order of their stamps.
    public let sides: [Alternative]
    /// The value that all sides replaced; `nil` if the rows don't show it.
    public let ancestor: Alternative?

    /// The events that wrote the sides; a resolution replaces these.
    let dots: [Dot]

    /// The field that is in conflict.
    public struct ID: Hashable, Sendable {
      /// The record.
      public let record: RecordID
      /// The field.
      public let path: FieldPath
    }

    /// The field that is in conflict, which at most one conflict of a document has.
    public var id: ID { ID(record: RecordID(record, in: collection), path: path) }
  }
}

extension Document.Conflict: CustomStringConvertible {
  /// The field, and each value with its writer and time.
  public var description: String {
    let values = sides.map { "\($0.value) at \($0.timestamp)" }.joined(separator: " | ")
    return "\(path.description.visible) of \(record.visible) in \(collection.visible): \(values)"
  }
}

extension Document {
  /// The concurrent values of a field that were not replaced since, with the shown value
  /// first.
  ///
  /// There is one value if there was no concurrent write. A counter has its sum, and a
  /// set has its elements as one value. A text or list is one value too, followed by other
  /// kinds of values that were written concurrently.
  ///
  /// - Complexity: As ``value(of:of:in:)``.
  public func alternatives(
    of path: FieldPath, of record: String, in collection: String
  ) -> [Alternative] {
    guard let target = target(of: path, of: record, in: collection) else { return [] }
    let rows = rows(of: target)
    let rule = rows.rule(at: target)
    switch rows.shown(under: rule) {
    case nil: return []
    case .count(let count)?: return [Alternative(.int(count), at: rows.latest)]
    case .set? where rule == .set: return [set(of: rows, at: target)]
    case .text? where rule == .text: return texts(of: rows)
    case .list? where rule == .list: return lists(of: rows, at: target)
    default: break
    }
    let contents = rows.hasContainer ? contents(of: target.beneath) : Contents()
    let winner = rows.winner(under: target.rule)?.dot
    let candidates = rows.writtenCandidates
    let values = contents.values(of: candidates, at: target, text: text(of: rows))
    let all = zip(candidates, values).map {
      (dot: $0.dot, alternative: Alternative($1, at: $0.timestamp))
    }
    let sorted = all.sorted { left, right in
      if (left.dot == winner) != (right.dot == winner) { return left.dot == winner }
      return left.alternative.timestamp > right.alternative.timestamp
    }
    return sorted.map(\.alternative)
  }

  /// The text as it was written last, then the values that were written concurrently.
  private func texts(of rows: FieldRows) -> [Alternative] {
    let latest = rows.candidates.lazy.filter(\.isText).map(\.timestamp).max() ?? rows.latest
    let text = Alternative(.string(text(of: rows)), at: latest)
    return [text] + others(of: rows) { $0.isText }
  }

  /// The list with the stamp of its latest change, then the values that were written
  /// concurrently.
  private func lists(of rows: FieldRows, at target: Editor.Target) -> [Alternative] {
    let place = target.beneath
    let latest = latestStamp(since: rows.latest, under: place) { $0.place.isWithin(place) }
    let list = Alternative(contents(of: place).value(of: rows, at: target) ?? [], at: latest)
    return [list] + others(of: rows) { $0.isList }
  }

  /// The candidates that are no part of what all have written together, the latest first.
  private func others(
    of rows: FieldRows, besides isPart: (FieldRows.Candidate) -> Bool
  ) -> [Alternative] {
    rows.candidates.filter { !isPart($0) }.map(\.alternative)
      .sorted { $0.timestamp > $1.timestamp }
  }

  /// The latest stamp of some rows under a place, or a given one if that is later.
  private func latestStamp(
    since stamp: HybridTimestamp, under place: Place, where isCounted: (RowKey) -> Bool
  ) -> HybridTimestamp {
    var latest = stamp
    for dot in _table.dots(under: place.hash, where: isCounted) {
      guard let payload = _table.row(at: dot)?.payload else { continue }
      latest = max(latest, HybridTimestamp(time: payload.time, replica: dot.replica))
    }
    return latest
  }

  /// The set that a field shows, with the stamp of its latest change.
  private func set(of rows: FieldRows, at target: Editor.Target) -> Alternative {
    let place = target.beneath
    let latest = latestStamp(since: rows.latest, under: place) { $0.isElement(of: place) }
    return Alternative(contents(of: place).value(of: rows, at: target) ?? [], at: latest)
  }

  /// The conflict of a field, if its rule is ``Schema/FieldRule/manual`` and it holds different
  /// values.
  public func conflict(
    of path: FieldPath, of record: String, in collection: String
  ) -> Conflict? {
    guard let target = target(of: path, of: record, in: collection) else { return nil }
    return conflict(at: target)
  }

  /// All conflicts, ordered by the bytes of collection, record and path.
  ///
  /// - Complexity: Expected O(fields with concurrent values), and O(rows) for rows
  ///   applied since the last read.
  public var conflicts: [Conflict] {
    var keys: Set<RowKey> = []
    for dot in _table.shadowedDots() {
      if let key = _table.row(at: dot)?.key, key.fieldName != nil { keys.insert(key) }
    }
    var shown = ShownPlaces(document: self)
    let conflicts = keys.compactMap { key in shown.target(of: key).flatMap { conflict(at: $0) } }
    return conflicts.sorted { left, right in
      if left.collection != right.collection {
        return left.collection.comes(before: right.collection)
      }
      if left.record != right.record { return left.record.comes(before: right.record) }
      return left.path < right.path
    }
  }

  private func conflict(at target: Editor.Target) -> Conflict? {
    guard target.rule == .manual else { return nil }
    let rows = rows(of: target)
    let candidates = rows.writtenCandidates
    guard candidates.count > 1, !candidates[0].timestamp.isOfPutBack else { return nil }
    let contents = rows.hasContainer ? contents(of: target.beneath) : Contents()
    let sorted = ContiguousArray(candidates.sorted { $0.timestamp > $1.timestamp })
    let sides = zip(sorted, contents.values(of: sorted, at: target, text: text(of: rows))).map {
      Alternative($1, at: $0.timestamp)
    }
    guard sides.contains(where: { $0.value != sides[0].value }) else { return nil }
    return Conflict(
      collection: target.place.collection, record: target.place.record,
      path: target.place.path.appending(target.name), sides: sides,
      ancestor: rows.commonAncestor, dots: rows.candidates.map(\.dot))
  }
}

extension Document.FieldRows {
  /// The greatest stamp of the values and counts.
  var latest: HybridTimestamp {
    let written = candidates.map(\.timestamp).max()
    let none = HybridTimestamp(time: 0, replica: ReplicaID(0))
    return max(written ?? none, countedAt ?? none)
  }

  /// The value that all of them replaced, if it is the same for all.
  var commonAncestor: Document.Alternative? {
    var common: Document.Alternative?
    for candidate in writtenCandidates {
      guard case .revision(_, of: let ancestor) = candidate.content,
        common == nil || common == ancestor
      else { return nil }
      common = ancestor
    }
    return common
  }
}

extension Document.Editor {
  /// Resolves a conflict with a value, and returns whether any of the conflict was still
  /// there.
  ///
  /// The value replaces only the values that the conflict lists. A value that was written
  /// meanwhile stays, and is in conflict with the new one. An object is written name by
  /// name.
  ///
  /// - Precondition: The path and the value have at most 32 levels together.
  @discardableResult
  public mutating func resolve(
    _ conflict: Document.Conflict, with value: Document.Value
  ) -> Bool {
    Document.Value.requireRoom(for: value, at: conflict.path)
    guard var target = find(conflict.path, of: conflict.record, in: conflict.collection)
    else { return false }
    // The conflict may have been found under another schema.
    target.override = .manual
    let shown = Set(conflict.dots)
    let dots = dots(of: target.key)
    let others = ContiguousArray(dots.filter { !shown.contains($0) })
    guard others.count < dots.count else { return false }
    _ = openRecord(conflict.record, in: conflict.collection)
    object = nil
    let isShared = Document.FieldRows(others, of: table).hasContainer
    if case .object(let fields) = value {
      let left = ContiguousArray(dots.filter { shown.contains($0) })
      let rows = Document.FieldRows(left, of: table)
      removeTexts(among: left)
      table.write(row(target.key, .object), by: replica, killing: left)
      if !rows.hasObject, !isShared { clear(dotsWithin(target.beneath)) }
      replaceFields(in: target.beneath, of: target, with: fields)
      return true
    }
    // Rows within an object or set that was written meanwhile belong to that.
    let unseen = Set(isShared ? others + dotsWithin(target.beneath) : others)
    let isSeen = { (dot: Dot) in !unseen.contains(dot) }
    seeing(isSeen) { edit in
      _ = edit.assignValue(value, to: target, isForced: true)
      edit.noteChanges(of: target.place)
    }
    return true
  }
}

extension Document {
  /// A value of a field, with its writer and time: one of several if they were written
  /// concurrently.
  public struct Alternative: Hashable, Sendable {
    /// The value.
    public var value: Value
    /// The time of the write, and the replica that wrote the value.
    public var timestamp: HybridTimestamp

    /// The replica that wrote it.
    public var replica: ReplicaID { timestamp.replica }

    /// Creates a value with its stamp.
    public init(_ value: Value, at timestamp: HybridTimestamp) {
      self.value = value
      self.timestamp = timestamp
    }
  }
}
