extension Document.Editor {
  /// Whether a field reads as a text, including rows that are not seen.
  mutating func readsAsText(_ target: Target) -> Bool {
    guard target.isOpen else { return target.rule == .text }
    return Document.FieldRows(table.dotsForChange(of: target.key), of: table).hasText
  }

  /// Makes a text equal to a string by small edits, and returns whether anything changed.
  ///
  /// With a base, it makes the edits that lead from the base to the string: what others have
  /// written into the text since the base stays. Without one, the text becomes the string.
  mutating func assignText(
    _ string: String, changedFrom base: String? = nil, to target: Target
  ) -> Bool {
    let rows = rows(of: target)
    let isText = if case .text? = rows.shown(at: target) { true } else { false }
    guard isText else { return makeText(string, over: rows, changedFrom: base, at: target) }
    let current = rows.textStarts.map { table.textString(at: $0) }.joined()
    if base == nil, rows.isTextAlone, current == string { return false }
    let edits = TextDifference.edits(from: base ?? current, to: string, over: current)
    if base != nil, edits.isEmpty { return false }
    let start = openText(target, rows)
    table.apply(edits, toTextAt: start, by: replica)
    return true
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
  mutating func openText(_ target: Target, _ rows: Document.FieldRows) -> Dot {
    let dots = dots(of: target.key)
    let known = dots.compactMap { table.row(at: $0)?.key }
    let key = known.first { $0.textStart == rows.textStarts.first } ?? target.key
    let start = key.textStart
    table.write(row(key, .text), by: replica, killing: dots)
    if let counter = rows.counter { forget(counter, at: target) }
    if rows.hasContainer || rows.hasElements { clear(dotsWithin(target.beneath)) }
    // Names that were spelled differently: one of the texts takes in the others.
    for other in rows.textStarts where other != start {
      let string = table.textString(at: other)
      removeText(at: other)
      table.insertText(
        string, at: table.textRange(at: start).upperBound, inTextAt: start, by: replica)
    }
    return start
  }

  /// Removes the seen characters of texts.
  mutating func removeTexts(_ starts: some Sequence<Dot>) {
    for start in starts { removeText(at: start) }
  }

  /// Removes the seen characters of the texts that rows hold.
  mutating func removeTexts(among dots: ContiguousArray<Dot>) {
    var starts: Set<Dot> = []
    for dot in dots {
      guard let row = table.row(at: dot), case .text = row.payload.content else { continue }
      starts.insert(row.key.textStart)
    }
    removeTexts(starts.sorted())
  }

  /// Removes the seen characters of a text.
  private mutating func removeText(at start: Dot) {
    table.removeText(table.textRange(at: start), by: replica, where: isSeen)
  }
}
