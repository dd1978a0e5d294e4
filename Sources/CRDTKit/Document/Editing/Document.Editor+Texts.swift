extension Document.Editor {
  /// Whether a field reads as a text, including rows that are not seen.
  mutating func readsAsText(_ target: Target) -> Bool {
    guard target.isOpen else { return target.rule == .text }
    return allRows(of: target).hasText
  }

  /// Makes a text equal to a string by small edits, and returns whether anything changed.
  ///
  /// With a base, it makes the edits that lead from the base to the string: what others have
  /// written into the text since the base stays. Without one, the text becomes the string.
  mutating func assignText(
    _ string: String, changedFrom base: String? = nil, to target: Target
  ) -> Bool {
    let rows = rows(of: target)
    // Each edit replaces the row, so what was seen of the text may be under an unseen one.
    let all =
      isSeen == nil
      ? rows : allRows(of: target)
    guard case .text? = all.shown(at: target) else {
      return makeText(string, over: rows, changedFrom: base, at: target)
    }
    let current = table.text(of: all)
    var old = base ?? current
    if base == nil, isSeen != nil {
      let bytes = Array(current.utf8)
      old = String(
        decoding: runs(of: all.textStarts) { sees($0) }.flatMap { bytes[$0] }, as: UTF8.self)
    }
    if base == nil, all.isTextAlone, old == string { return false }
    let edits = TextDifference.edits(from: old, to: string, over: current)
    if base != nil, edits.isEmpty { return false }
    edit(all.textStarts, of: target, by: edits)
    return true
  }

  /// Makes edits of a field that is a text.
  mutating func edit(
    _ starts: ContiguousArray<Dot>, of target: Target, by edits: [RebasedEdit]
  ) {
    let start = openText(target, rows(of: target), starts: starts)
    table.applyMarked(edits, table.marks(ofTextAt: start, target.key, timestamp.time), by: replica)
  }

  /// Makes a field a text whose first content is a string.
  ///
  /// What was a string has the changes since the base, too.
  private mutating func makeText(
    _ string: String, over rows: Document.FieldRows, changedFrom base: String?,
    at target: Target
  ) -> Bool {
    var content = string
    if let base, base != string, case .value(.string(let shown))? = rows.shown(at: target) {
      content = shown
      content.apply(TextDifference.edits(from: base, to: string, over: shown))
    }
    let start = openText(target, rows)
    table.setText(to: content, at: start, by: replica)
    return true
  }

  /// Makes a field a text and nothing else, by a row that says so, and returns its start.
  ///
  /// Each edit of a text writes that row, so that a text that others have removed at the same
  /// time stays, and so that the row shows who wrote last.
  mutating func openText(
    _ target: Target, _ rows: Document.FieldRows, starts: ContiguousArray<Dot>? = nil
  ) -> Dot {
    let starts = starts ?? rows.textStarts
    let known = table.dotsForChange(of: target.key).compactMap { table.row(at: $0)?.key }
    let key = known.first { $0.textStart == starts.first } ?? target.key
    let start = key.textStart
    table.write(row(key, .text), by: replica, killing: dots(of: target.key))
    if let counter = rows.counter { forget(counter, at: target) }
    if rows.hasContainer || rows.hasElements {
      clear(dotsWithin(target.beneath).filter { table.row(at: $0)?.isMark(of: start) == false })
    }
    // Names that were spelled differently: one of the texts takes in the others.
    for other in starts where other != start {
      removeMarks(ofTextAt: other, target.key)
      let string = table.textString(at: other)
      table.removeText(table.textRange(at: other), by: replica)
      table.insertText(
        string, at: table.textRange(at: start).upperBound, inTextAt: start, by: replica)
    }
    return start
  }

  /// Removes the characters of the texts that rows hold, and the places of lists' elements,
  /// before the rows are removed.
  mutating func removeTexts(among dots: ContiguousArray<Dot>) {
    var keys: [Dot: Document.RowKey] = [:]
    var positions: ContiguousArray<Dot> = []
    for dot in dots {
      guard let row = table.row(at: dot) else { continue }
      if case .position = row.key.part { positions.append(dot) }
      if case .text = row.payload.content { keys[row.key.textStart] = row.key }
    }
    if !positions.isEmpty { table.removeElements(positions.places, by: replica) }
    for (start, key) in keys.sorted(by: { $0.key < $1.key }) {
      removeTexts(CollectionOfOne(start), of: key, besides: dots)
    }
  }

  /// Removes the characters of texts, unless a row still holds the text that isn't among
  /// those that are removed: then it is still a text for others.
  mutating func removeTexts(
    _ starts: some Sequence<Dot>, of key: Document.RowKey, besides dots: ContiguousArray<Dot> = []
  ) {
    for start in starts {
      let isHeld = isHeld(start, of: key, besides: dots)
      if !isHeld {
        table.removeText(table.textRange(at: start), by: replica)
        removeMarks(ofTextAt: start, key)
      }
    }
  }

  /// Whether a row that isn't among some still holds a text.
  private mutating func isHeld(
    _ start: Dot, of key: Document.RowKey, besides dots: ContiguousArray<Dot>
  ) -> Bool {
    table.dotsForChange(of: key).contains { dot in
      guard !dots.contains(dot), let row = table.row(at: dot), case .text = row.payload.content
      else { return false }
      return row.key.textStart == start
    }
  }

  /// Of rows that are removed, once their texts are, those that go: traces of counters stay, and
  /// marks of a text that is still held.
  mutating func removedRows(among dots: ContiguousArray<Dot>) -> ContiguousArray<Dot> {
    var marked: [Dot: Bool] = [:]
    var removed: ContiguousArray<Dot> = []
    for dot in dots {
      guard let row = table.row(at: dot), !row.payload.content.isCounter else { continue }
      if case .mark = row.key.part, let outer = row.key.place.parent {
        let key = Document.RowKey(outer, .field(row.key.place.name))
        let start = key.textStart
        let isHeld = marked[start] ?? isHeld(start, of: key, besides: dots)
        marked[start] = isHeld
        if isHeld { continue }
      }
      removed.append(dot)
    }
    return removed
  }

  /// Removes the marks of a text that is removed.
  private mutating func removeMarks(ofTextAt start: Dot, _ key: Document.RowKey) {
    guard let name = key.fieldName else { return }
    let place = key.place.appending(name)
    table.prepareGroups()
    // The text's name may be spelled otherwise than the key.
    var dots = table.dots(under: place.hash) { $0.place == place }
    dots.removeAll { table.row(at: $0)?.isMark(of: start) != true }
    if !dots.isEmpty { table.remove(dots, by: replica) }
  }
}
