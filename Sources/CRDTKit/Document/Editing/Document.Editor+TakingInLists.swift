extension Document.Editor {
  /// Applies the elements of a list; those that are new get names that follow from their
  /// values, so that stores that receive the same array don't insert them twice.
  mutating func takeIn(
    _ elements: [Document.Value], base: Document.Value, ofListAt target: Target,
    _ intake: inout Intake
  ) {
    var old: [Document.Value] = []
    if case .array(let known) = base, !isLost(target.key, intake) { old = known }
    _ = changeList(at: target, from: old, to: elements, isShared: true) {
      edit, index, element, before in
      edit.takeIn(elements[index], base: before, at: element, &intake)
      if before != nil { edit.confirmObject(at: element, intake) }
    }
  }

  /// Makes the rows by which others say that an element is an object, and which the authority
  /// has not seen, the authority's own: it removes the element with all that is in it.
  private mutating func confirmObject(at element: Target, _ intake: Intake) {
    let theirs = unseenDots(of: element.key, besides: intake.own).filter { dot in
      if case .object? = table.row(at: dot)?.payload.content { true } else { false }
    }
    if theirs.isEmpty { return }
    table.write(
      row(element.key, .object), by: replica, killing: dots(of: element.key) + theirs)
  }
}
