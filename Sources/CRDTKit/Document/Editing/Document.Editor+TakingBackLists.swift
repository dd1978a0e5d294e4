extension Document.Editor {
  /// Undoes what a commit has changed in a list.
  ///
  /// What it inserted is removed unless others have changed it since; what it removed is put
  /// back; what it moved stands where it was, unless another replica has moved it; and what it
  /// changed within an element is undone there.
  mutating func takeBack(
    _ after: [Document.Value], before: Document.Value?, ofListAt target: Target,
    _ taking: inout Taking
  ) -> Bool {
    let place = target.beneath
    let current = elements(ofListAt: target)
    let shown = Document.Value.array(current.map(\.value))
    let rows = table.dotsForChange(of: target.key)
    var old: [Document.Value] = []
    if case .array(let elements)? = before {
      old = elements
    } else if (rows + rowsWithin(place)).allSatisfy(taking.events.contains) {
      begin(&taking, rows)
      clear(rowsWithin(place))
      putBack(before, at: target, killing: rows, knowing: taking.mark)
      let inverse: Document.FieldChange.Kind =
        before.map { .assign($0, before: shown) } ?? .remove(before: shown)
      taking.result.done.append(Document.FieldChange(target.path, inverse))
      return true
    }
    begin(&taking, [])
    let (event, count) = (table.eventCount, taking.result.done.count)
    takeBack(ListChange(from: after, to: old, over: current), to: old, at: target, &taking)
    // Of the list, its change as a whole is told.
    taking.result.done.removeSubrange(count...)
    guard table.eventCount != event else { return false }
    let now = Document.Value.array(elements(ofListAt: target).map(\.value))
    taking.result.done.append(Document.FieldChange(target.path, .assign(now, before: shown)))
    return true
  }

  private mutating func takeBack(
    _ change: ListChange, to old: [Document.Value], at target: Target, _ taking: inout Taking
  ) {
    let place = target.beneath
    for element in change.removed {
      let rows =
        table.dotsForChange(of: Document.RowKey(place, .field(element.name)))
        + rowsWithin(place.appending(element.name))
      if rows.allSatisfy(taking.events.contains) { removeElement(element, in: place) }
    }
    var names = ListNames(taken: change.elements.map(\.name))
    var formerNames = formerNames(beneath: target.path, besides: change.elements, taking.mark)
    var previous: Dot?
    for (value, source) in zip(old, change.sources) {
      guard let number = source.element else {
        // Someone else has removed it.
        if source.old != nil { continue }
        let name =
          value.elementName == nil
          ? formerNames.popLast() ?? names.shared(for: value)
          : names.shared(for: value)
        putBack(value, at: target.field(name, in: place), killing: [], knowing: taking.mark)
        previous = placeElement(name, after: previous, in: place)
        continue
      }
      let element = change.elements[number]
      if let after = source.old, after != value {
        takeBack(after, to: value, ofElement: element.name, at: target, &taking)
      }
      var dot = element.place
      let positions = table.dotsForChange(of: Document.RowKey(place, .position(element.name)))
      let isMoved = !positions.isEmpty && positions.allSatisfy(taking.events.contains)
      if isMoved || source.isMoved && positions.allSatisfy({ $0.replica == replica }) {
        dot = placeElement(element.name, after: previous, in: place)
      }
      previous = dot ?? previous
    }
  }

  /// Undoes what a commit changed within an element of a list.
  private mutating func takeBack(
    _ after: Document.Value, to value: Document.Value, ofElement name: String,
    at target: Target, _ taking: inout Taking
  ) {
    let changes = Document.differences(
      from: [name: value], to: [name: after], under: target.rules)
    for change in changes.reversed() {
      let path = FieldPath(target.path.names + change.path.names)
      _ = takeBack(Document.FieldChange(path, change.change), &taking)
    }
  }

  /// The names of elements without an `id` that the undone commit has removed, the last first.
  private func formerNames(
    beneath list: FieldPath, besides elements: [ListElement], _ mark: Document.CommitMark
  ) -> [String] {
    let known = Set(elements.map(\.name))
    var names: [String] = []
    for row in mark.replaced.reversed() where row.path.names.count == list.names.count + 1 {
      guard row.path.names.starts(with: list.names), let name = row.path.names.last,
        !known.contains(name), !names.contains(name)
      else { continue }
      names.append(name)
    }
    return names
  }
}
