extension Document.Editor {
  /// Undoes an assignment, and puts the earlier value in its place.
  mutating func takeBack(
    _ value: Document.Value, before: Document.Value?, at target: Target, _ taking: inout Taking
  ) -> Bool {
    if case .string(let text) = value, case .text? = rows(of: target).shown(at: target) {
      return takeBack(text, before: before, ofTextAt: target, &taking)
    }
    if case .array(let elements) = value, case .list? = rows(of: target).shown(at: target) {
      return takeBack(elements, before: before, ofListAt: target, &taking)
    }
    let all: ContiguousArray<Dot> = table.dotsForChange(of: target.key).filter {
      table.row(at: $0)?.payload.content.isCounter == false
    }
    let own = owned(all, taking.events) { $0.value == value }
    guard !own.isEmpty else { return false }
    let isContainer = Document.FieldRows(own, of: table).hasContainer
    let others = Document.FieldRows(ContiguousArray(all.filter { !own.contains($0) }), of: table)
    var beneath: ContiguousArray<Dot> = []
    if isContainer {
      let rows = rowsWithin(target.beneath)
      beneath = rows.filter(taking.events.contains)
      // Otherwise, content that someone has written into it would be removed too.
      guard beneath.count == rows.count || others.hasContainer else { return false }
    }
    begin(&taking, own)
    if !beneath.isEmpty { clear(beneath) }
    removeTexts(among: own)
    if case .object(let fields) = value, !fields.isEmpty, case .object? = before, !isContainer {
      let whole = before.map { Document.RowPayload.Content.value($0) } ?? .object
      write(whole, at: target, killing: own, time: taking.mark.time)
    } else {
      putBack(before, at: target, killing: own, knowing: taking.mark)
    }
    let inverse: Document.FieldChange.Kind =
      before.map { .assign($0, before: value) } ?? .remove(before: value)
    taking.result.done.append(Document.FieldChange(target.path, inverse))
    return true
  }

  /// Removes the characters that a commit inserted into a text and that are still there, and
  /// inserts those again that it removed.
  private mutating func takeBack(
    _ after: String, before: Document.Value?, ofTextAt target: Target, _ taking: inout Taking
  ) -> Bool {
    let rows = rows(of: target)
    let current = table.text(of: rows)
    let own = rows.textStarts.reduce(into: Set<Dot>()) {
      $0.formUnion(living(of: taking.events, inTextAt: $1))
    }
    var isAllOwn = true
    for start in rows.textStarts {
      table.forEachCharacter(ofTextAt: start) { if !own.contains($0) { isAllOwn = false } }
    }
    guard case .string(let old)? = before else {
      return takeBackText(made: isAllOwn, own, current, before: before, at: target, &taking)
    }
    if rows.textStarts.count == 1, let start = rows.textStarts.first,
      let step = taking.mark.removed(at: target.path, from: start, in: table)
    {
      let missing = table.missing(of: step, inTextAt: start)
      if own.isEmpty, missing.isEmpty { return false }
      begin(&taking, [])
      _ = openText(target, rows)
      table.removeElements(ContiguousArray(own), by: replica)
      table.putBack(missing, by: replica)
      tellText(at: target, start, before: current, &taking)
      return true
    }
    // The commit made a text of a string, or what it removed isn't known.
    let inverse = TextDifference.inverseEdits(of: old, to: after, over: current)
    guard !own.isEmpty || inverse.edits.contains(where: { !$0.inserted.isEmpty }) else {
      return false
    }
    begin(&taking, [])
    let start = openText(target, rows)
    let marks = table.marks(ofTextAt: start, target.key, timestamp.time)
    if isAllOwn {
      table.setMarkedText(to: old, marks, by: replica)
    } else {
      table.applyMarked(inverse.edits, marks, by: replica, removing: own.contains)
      // What the commit inserted is its own wherever it stands; but if it made a text of a
      // string, what was in the string is its own as well, and stays.
      if own.count <= inverse.inserted {
        table.removeText(table.textRange(at: start), by: replica, where: own.contains)
      }
    }
    tellText(at: target, start, before: current, &taking)
    return true
  }

  /// The living characters of a text that are a commit's own: those that it inserted, and
  /// those that undos have put back in place of such.
  private func living(
    of events: Document.CommitEvents, inTextAt start: Dot
  ) -> ContiguousArray<Dot> {
    table.living(of: table.elements(of: events, inTextAt: start), inTextAt: start)
  }

  /// Records that a text was changed.
  private mutating func tellText(
    at target: Target, _ start: Dot, before current: String, _ taking: inout Taking
  ) {
    let shown = Document.Value.string(table.textString(at: start))
    taking.result.done.append(
      Document.FieldChange(target.path, .assign(shown, before: .string(current))))
  }

  /// Undoes that a commit made a text: with its own characters alone, the field is as it was.
  private mutating func takeBackText(
    made isAllOwn: Bool, _ own: Set<Dot>, _ current: String, before: Document.Value?,
    at target: Target, _ taking: inout Taking
  ) -> Bool {
    guard !own.isEmpty || isAllOwn else { return false }
    let rows = rows(of: target)
    let dots = dots(of: target.key)
    if isAllOwn {
      begin(&taking, dots)
      removeTexts(rows.textStarts, of: target.key, besides: dots)
      putBack(before, at: target, killing: dots, knowing: taking.mark)
      let inverse: Document.FieldChange.Kind =
        before.map { .assign($0, before: .string(current)) } ?? .remove(before: .string(current))
      taking.result.done.append(Document.FieldChange(target.path, inverse))
      return true
    }
    begin(&taking, [])
    let start = openText(target, rows)
    table.removeText(table.textRange(at: start), by: replica, where: own.contains)
    tellText(at: target, start, before: current, &taking)
    return true
  }

  /// Reverses the part of a count that still counts.
  mutating func takeBack(
    _ amount: Int64, _ tally: Document.CommitMark.Tally?, at target: Target,
    _ taking: inout Taking
  ) -> Bool {
    let dots = table.dotsForChange(of: target.key)
    let rows = Document.FieldRows(dots, of: table)
    guard let number = rows.number, let counter = rows.counter, counter.isRunning else {
      return false
    }
    if let tally, !counter.holds(tally, of: taking.events.replica) { return false }
    let isOwn = dots.allSatisfy { dot in
      taking.events.contains(dot) || table.row(at: dot)?.payload.content.isTrace == true
    }
    if taking.made.contains(target.path), rows.first == nil, isOwn {
      begin(&taking, [])
      clear(target)
      taking.done.append(target.path)
      taking.result.done.append(Document.FieldChange(target.path, .remove(before: .int(number))))
      return true
    }
    begin(&taking, [])
    guard count(target, from: amount, to: 0) else {
      taking.result.overflow = target.path
      return true
    }
    let change = Document.FieldChange(target.path, .increment(amount))
    taking.result.done.append(change.inverse)
    return true
  }

  /// Removes elements from a set as far as the commit inserted them.
  mutating func takeBack(
    _ elements: [Document.Value], at target: Target, _ taking: inout Taking
  ) -> Bool {
    let sets = table.dotsForChange(of: target.key)
    let beneath = rowsWithin(target.beneath)
    if taking.made.contains(target.path), !sets.isEmpty,
      (sets + beneath).allSatisfy(taking.events.contains)
    {
      // Other changes of the commit may have inserted elements as well.
      let (record, collection) = (taking.record.record, taking.record.collection)
      let before = value(of: target.path, of: record, in: collection)
      begin(&taking, sets)
      clear(sets + beneath)
      taking.done.append(target.path)
      let change = Document.FieldChange(target.path, .remove(before: before))
      taking.result.done.append(change)
      return true
    }
    var taken: [Document.Value] = []
    for element in elements {
      let dots = table.dotsForChange(of: Document.RowKey(target.beneath, .element(element)))
      let own = owned(dots, taking.events) { _ in true }
      guard !own.isEmpty else { continue }
      begin(&taking, [])
      table.remove(own, by: replica)
      taken.append(element)
    }
    if !taken.isEmpty {
      taking.result.done.append(Document.FieldChange(target.path, .take(taken)))
    }
    return taken.count == elements.count
  }
}

extension CounterRows {
  /// Whether a replica's count is still part of the sum.
  fileprivate func holds(_ tally: Document.CommitMark.Tally, of replica: ReplicaID) -> Bool {
    guard let running = runningSum.trace[replica], running.life == tally.life else { return false }
    guard let gone = removedSum.trace[replica] else { return true }
    if gone.life != tally.life { return gone.life < tally.life }
    return gone.total.increments < tally.increments || gone.total.decrements < tally.decrements
  }
}

extension Document.Editor {
  /// The rows that a commit wrote, or the authority's rows if an authority has confirmed
  /// them.
  func owned(
    _ dots: ContiguousArray<Dot>, _ events: Document.CommitEvents,
    isSame: (Document.RowPayload.Content) -> Bool
  ) -> ContiguousArray<Dot> {
    let own: ContiguousArray<Dot> = dots.filter(events.contains)
    if !own.isEmpty { return own }
    return dots.filter { dot in
      events.mayBeConfirmed(by: dot)
        && table.row(at: dot).map { isSame($0.payload.content) } == true
    }
  }

  /// The rows within a place, except traces of counters.
  mutating func rowsWithin(_ place: Document.Place) -> ContiguousArray<Dot> {
    dotsWithin(place).filter { table.row(at: $0)?.payload.content.isTrace == false }
  }

  mutating func find(_ path: FieldPath, in record: Document.RecordID) -> Target? {
    find(path, of: record.record, in: record.collection)
  }

  /// Opens the record for the changes that follow, and notes when the rows to remove were
  /// written.
  mutating func begin(_ taking: inout Taking, _ dots: ContiguousArray<Dot>) {
    for dot in dots {
      let time = taking.events.putBack[dot] ?? table.row(at: dot)?.payload.time ?? 0
      taking.result.time = max(taking.result.time, time)
    }
    _ = openRecord(taking.record.record, in: taking.record.collection)
    object = nil
  }

  mutating func write(
    _ content: Document.RowPayload.Content, at target: Target, killing dots: ContiguousArray<Dot>,
    time: UInt64
  ) {
    let payload = Document.RowPayload(content, at: time)
    table.write(Row(key: target.key, payload: payload), by: replica, killing: dots)
  }

  /// Puts a value back in place of rows, an object name by name; what others have written
  /// within it stays.
  mutating func putBack(
    _ value: Document.Value?, at target: Target, killing dots: ContiguousArray<Dot>,
    knowing mark: Document.CommitMark
  ) {
    switch value {
    case nil: if !dots.isEmpty { table.remove(dots, by: replica) }
    case .object(let fields)?:
      write(.object, at: target, killing: dots, time: mark.time)
      let place = target.beneath
      for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
        let field = target.field(name, in: place)
        guard rows(of: field).isEmpty else { continue }
        putBack(value, at: field, killing: [], knowing: mark)
      }
    case .array(let elements)? where target.rule == .set:
      write(.set, at: target, killing: dots, time: mark.time)
      for element in elements {
        let key = Document.RowKey(target.beneath, .element(element))
        if self.dots(of: key).isEmpty { writeMember(key) }
      }
    case .array(let elements)? where readingRule(of: target) == .list:
      write(.list, at: target, killing: dots, time: mark.time)
      append(elements, toListAt: target) { edit, value, element in
        edit.putBack(value, at: element, killing: [], knowing: mark)
      }
    case .string(let string)? where readsAsText(target):
      // What others have written there since stays.
      let start = rows(of: target).textStarts.first ?? target.key.textStart
      write(.text, at: target, killing: dots, time: mark.time)
      if let step = mark.removed(at: target.path, from: start, in: table) {
        table.putBack(table.missing(of: step, inTextAt: start), by: replica)
      } else {
        table.insertText(
          string, at: table.textRange(at: start).lowerBound, inTextAt: start, by: replica)
      }
    case let value?: write(.value(value), at: target, killing: dots, time: mark.time)
    }
  }
}

extension Document.FieldRows {
  /// Whether there are no rows, except perhaps traces of a counter.
  var isEmpty: Bool {
    first == nil && counter?.isRunning != true && !hasElements
  }
}
