extension Document {
  /// The result of undoing a commit's changes of a record.
  package struct TakingBack: Hashable, Sendable {
    /// The changes that were made, in order.
    ///
    /// To undo this undo, undo these changes.
    package var done: [FieldChange] = []
    /// The fields that could not be undone: the commit's change is no longer there, or is
    /// not only the commit's.
    package var left: [FieldPath] = []
    /// The time when the undone values were written.
    package var time: UInt64 = 0
    /// A counter that can't be counted back because of an overflow.
    package var overflow: FieldPath?

    package init() {}

    mutating func leave(_ path: FieldPath) {
      if !left.contains(path) { left.append(path) }
    }
  }

  /// Whether a record is the one that a commit created or restored, and only its writer
  /// has written in it since.
  ///
  /// Rows that an authority has confirmed count as the writer's.
  ///
  /// - Complexity: O(rows of the record)
  package func isOwn(
    _ record: RecordID, of events: CommitEvents, knowing mark: CommitMark
  ) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    return _table.isSame(place, knowing: mark, events)
      && _table.dots(under: place.hash) { $0.part != .deletion && $0.place.isWithin(place) }
        .allSatisfy { dot in
          dot.replica == events.replica || events.mayBeConfirmed(by: dot)
            || mark.seen.contains(dot)
            || _table.row(at: dot)?.payload.content.saysNothing == true
        }
      && hasOnlyTexts(of: events, within: place)
  }

  /// Whether the writer of a commit alone has written the characters of a record's texts.
  private func hasOnlyTexts(of events: CommitEvents, within place: Place) -> Bool {
    var isOwn = true
    for dot in _table.dots(under: place.hash, where: { $0.place.isWithin(place) }) {
      guard let row = _table.row(at: dot), case .text = row.payload.content else { continue }
      _table.forEachCharacter(ofTextAt: row.key.textStart) { character in
        if character.replica != events.replica, !events.mayBeConfirmed(by: character) {
          isOwn = false
        }
      }
    }
    return isOwn
  }

  /// Whether a record is the one that a commit changed, and not a later one of the same
  /// name.
  package func isSame(
    _ record: RecordID, of events: CommitEvents, knowing mark: CommitMark
  ) -> Bool {
    _table.isSame(Place(record: record.record, in: record.collection), knowing: mark, events)
  }

  /// The rows that state that a record exists: a record made anew under its name has others.
  package func births(of record: RecordID) -> [Dot] {
    births(at: Place(record: record.record, in: record.collection))
  }

  func births(at record: Place) -> [Dot] { Array(_table.dots(of: RowKey(record, .existence))) }

  /// The events of a replica that have written something in a record that is still there,
  /// with the paths of the fields.
  ///
  /// - Complexity: O(rows of the record).
  package func writes(in record: RecordID, by replica: ReplicaID) -> [(dot: Dot, path: FieldPath)] {
    let place = Place(record: record.record, in: record.collection)
    let dots = _table.dots(under: place.hash) { $0.part.isContent && $0.place.isWithin(place) }
    return dots.compactMap { dot in
      guard dot.replica == replica, let key = _table.row(at: dot)?.key else { return nil }
      return (dot, key.fieldName.map(key.place.path.appending) ?? key.place.path)
    }
  }

  /// Whether a record is deleted by a commit, and by no one else.
  package func isDeleted(_ record: RecordID, by events: CommitEvents) -> Bool {
    let place = Place(record: record.record, in: record.collection)
    let deletions = _table.dots(of: RowKey(place, .deletion))
    return !deletions.isEmpty && deletions.allSatisfy { events.contains($0) }
      && deletion(of: record.record, in: record.collection) != nil
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// Whether a record is the one that a commit changed, and not a later one of the same
  /// name.
  func isSame(
    _ record: Document.Place, knowing mark: Document.CommitMark, _ events: Document.CommitEvents
  ) -> Bool {
    let births = dots(of: Document.RowKey(record, .existence))
    if mark.births.isEmpty {
      return births.contains {
        $0.replica != events.replica || $0.counter <= events.counters.upperBound
      }
    }
    return births.contains { mark.births.contains($0) }
  }
}

extension Document.RowPayload.Content {
  /// Whether the row only serves others: a set or a list without its elements, or a
  /// counter's trace.
  fileprivate var saysNothing: Bool {
    switch self {
    case .set, .list: true
    default: isTrace
    }
  }
}

extension Document.Editor {
  /// Undoes a commit's changes of a record's fields, and nothing else.
  ///
  /// A value is removed if a row of the commit holds it. Then concurrent values of others
  /// are shown. The earlier value is put back so that it loses to any other; an object is
  /// put back name by name. Elements are removed as far as the commit inserted them.
  /// Counts are reversed as far as no one has removed them. Rows that an authority has
  /// confirmed count as the commit's own.
  ///
  /// - Returns: The changes that were made, and the fields that were left as they are.
  /// - Complexity: O(rows of the fields and beneath them)
  @discardableResult
  package mutating func takeBack(
    _ changes: [Document.FieldChange], making made: [FieldPath] = [],
    of events: Document.CommitEvents, knowing mark: Document.CommitMark = .init(),
    in record: Document.RecordID
  ) -> Document.TakingBack {
    var taking = Taking(record: record, events: events, mark: mark, made: Set(made))
    taking.events.putBack = putBack.rows(of: events)
    let event = table.seen(of: replica)
    let place = Document.Place(record: record.record, in: record.collection, near: self.record)
    guard contains(record.record, in: record.collection),
      table.isSame(place, knowing: mark, events)
    else {
      for change in changes { taking.result.leave(change.path) }
      return taking.result
    }
    takeBackObjects(around: changes, &taking)
    for (place, change) in changes.enumerated().reversed() where !taking.isDone(change.path) {
      guard let change = change.lasting(at: place, among: changes) else { continue }
      if !takeBack(change, &taking) { taking.result.leave(change.path) }
    }
    note(mark.replaced, after: event, in: record)
    return taking.result
  }

  /// The state of an undo.
  struct Taking {
    let record: Document.RecordID
    var events: Document.CommitEvents
    let mark: Document.CommitMark
    let made: Set<FieldPath>
    var result = Document.TakingBack()
    /// The fields that are finished, with everything beneath them.
    var done: [FieldPath] = []

    func isDone(_ path: FieldPath) -> Bool {
      done.contains { path.names.starts(with: $0.names) }
    }
  }

  /// Removes objects that the commit created, with their content; an object in which
  /// someone else has written since stays whole.
  private mutating func takeBackObjects(
    around changes: [Document.FieldChange], _ taking: inout Taking
  ) {
    var paths: Set<FieldPath> = []
    for change in changes {
      for count in 1..<max(1, change.path.names.count) {
        paths.insert(FieldPath(Array(change.path.names.prefix(count))))
      }
      if case .assign([:], before: nil) = change.change { paths.insert(change.path) }
    }
    for path in paths.sorted(by: { $0.names.count < $1.names.count }) where !taking.isDone(path) {
      guard let target = find(path, in: taking.record) else { continue }
      let objects: ContiguousArray<Dot> = table.dotsForChange(of: target.key).filter {
        if case .object? = table.row(at: $0)?.payload.content { true } else { false }
      }
      let own: ContiguousArray<Dot> = objects.filter(taking.events.contains)
      if own.isEmpty { continue }
      guard own.count == objects.count else {
        // Others have created the object as well: it is theirs now, and loses its content.
        begin(&taking, own)
        table.remove(own, by: replica)
        continue
      }
      let beneath = rowsWithin(target.beneath)
      taking.done.append(path)
      guard beneath.allSatisfy(taking.events.contains) else {
        taking.result.leave(path)
        continue
      }
      let value = value(of: path, of: taking.record.record, in: taking.record.collection)
      begin(&taking, own)
      clear(own + beneath)
      taking.result.done.append(Document.FieldChange(path, .remove(before: value)))
    }
  }

  /// Undoes one change, and returns whether it could.
  mutating func takeBack(
    _ change: Document.FieldChange, _ taking: inout Taking
  ) -> Bool {
    guard let target = find(change.path, in: taking.record) else { return false }
    let field = taking.mark.fields.first { $0.path == change.path }
    if let parents = field?.parents, !parents.isEmpty {
      // The object around it may be another one by now.
      let outer = Document.RowKey(target.place.parent ?? target.place, .field(target.place.name))
      guard table.dotsForChange(of: outer).contains(where: parents.contains) else { return false }
    }
    switch change.change {
    case .assign(let value, let before):
      return takeBack(value, before: before, at: target, &taking)
    case .remove(before: nil): return true
    case .remove(let before?):
      // The present value is someone else's.
      guard taking.mark.time > 0 || rows(of: target).isEmpty else { return false }
      begin(&taking, [])
      putBack(before, at: target, killing: [], knowing: taking.mark)
      taking.result.done.append(change.inverse)
    case .increment(let amount):
      return takeBack(amount, field?.tally, at: target, &taking)
    case .insert(let elements): return takeBack(elements, at: target, &taking)
    case .take(let elements):
      switch rows(of: target).shown(at: target) {
      case .set?, .value(.array)?: break
      default: return false
      }
      let missing = elements.filter {
        dots(of: Document.RowKey(target.beneath, .element($0))).isEmpty
      }
      guard !missing.isEmpty else { return true }
      begin(&taking, [])
      _ = self.change(target, from: [], to: missing)
      taking.result.done.append(Document.FieldChange(change.path, .insert(missing)))
    }
    return true
  }
}

extension Document.FieldChange {
  /// The net change of a set, without elements for which other changes of the commit did
  /// the opposite or the same before.
  ///
  /// For each element, the first change shows its state before the commit, and the last
  /// its state after it.
  fileprivate func lasting(
    at place: Int, among changes: [Document.FieldChange]
  ) -> Document.FieldChange? {
    guard let (elements, isInsertion) = setElements else { return self }
    let earlier = Set(
      changes[..<place].flatMap { $0.path == path ? $0.setElements?.elements ?? [] : [] })
    var isLastInsertion: [Document.Value: Bool] = [:]
    for later in changes[(place + 1)...] where later.path == path {
      guard let (elements, isInsertion) = later.setElements else { continue }
      for element in elements { isLastInsertion[element] = isInsertion }
    }
    let lasting = elements.filter { element in
      !earlier.contains(element) && isLastInsertion[element] ?? isInsertion == isInsertion
    }
    guard !lasting.isEmpty || elements.isEmpty else { return nil }
    return Document.FieldChange(path, isInsertion ? .insert(lasting) : .take(lasting))
  }

  /// The elements that the change inserts into or removes from a set; `nil` for other
  /// changes.
  private var setElements: (elements: [Document.Value], isInsertion: Bool)? {
    switch change {
    case .insert(let elements): (elements, true)
    case .take(let elements): (elements, false)
    case .assign, .remove, .increment: nil
    }
  }
}
