extension Document.Editor {
  /// An element of a list in its present state.
  struct ListElement {
    let name: String
    let value: Document.Value
    /// The character that marks where it stands; `nil` if it has no place.
    var place: Dot?
  }

  /// The elements of a list, in order, including those that are not seen.
  mutating func elements(ofListAt target: Target) -> [ListElement] {
    contents(of: target.beneath).elements(in: target.beneath, under: target.rules)
  }

  private mutating func contents(of place: Document.Place) -> Document.Contents {
    table.prepareGroups()
    return Document.Contents(of: place, in: table)
  }

  /// Makes a field a list and nothing else; an array that was written before becomes elements.
  ///
  /// Two replicas that do so at the same time give the elements the same names.
  mutating func openList(_ target: Target) -> Document.Place {
    let place = target.beneath
    let rows = rows(of: target)
    if rows.isListAlone { return place }
    let shown = rows.shown(at: target)
    let isList = if case .list? = shown { true } else { false }
    table.write(row(target.key, .list), by: replica, killing: dots(of: target.key))
    if let counter = rows.counter { forget(counter, at: target) }
    removeTexts(rows.textStarts, of: target.key)
    var values = rows.plainElements(at: target)
    if isList {
      // Arrays that were written at the same time have elements as well.
      values = values.missing(in: elements(ofListAt: target).map(\.value))
    } else {
      if case .set? = shown,
        case .array(let elements)? = contents(of: place).value(of: rows, at: target)
      {
        values = elements
      }
      clear(dotsWithin(place))
    }
    // As an undo puts values back: what others make of the same array counts more.
    stamping(at: 0) { edit in
      edit.append(values, toListAt: target) { edit, value, element in
        edit.writeFirst(value, to: element, isElement: true)
      }
    }
    return place
  }

  /// Adds elements at the end of a list, under names that follow from their values.
  mutating func append(
    _ values: [Document.Value], toListAt target: Target,
    _ write: (_ edit: inout Document.Editor, _ value: Document.Value, _ element: Target) -> Void
  ) {
    if values.isEmpty { return }
    let place = target.beneath
    let current = elements(ofListAt: target)
    var names = ListNames(taken: current.map(\.name))
    var previous = current.last { $0.place != nil }?.place
    for value in values {
      let name = names.shared(for: value)
      write(&self, value, target.field(name, in: place))
      previous = placeElement(name, after: previous, in: place)
    }
  }

  /// Writes an element of what was an array, or a field within; texts, sets and numbers stay
  /// plain, so that those who do the same at the same time have them once.
  private mutating func writeFirst(
    _ value: Document.Value, to target: Target, isElement: Bool = false
  ) {
    guard case .object(let fields) = value, value.isWritten(inPartsTo: target, isElement: isElement)
    else {
      table.write(row(target.key, .value(value)), by: replica, killing: dots(of: target.key))
      return
    }
    table.write(row(target.key, .object), by: replica, killing: dots(of: target.key))
    let place = target.beneath
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      writeFirst(value, to: target.field(name, in: place))
    }
  }

  /// Makes a list equal to an array, and returns whether anything changed.
  ///
  /// With a base, it makes the changes that lead from the base to the array: what others have
  /// changed since the base stays. Without one, the list becomes the array.
  mutating func assignList(
    _ values: [Document.Value], changedFrom base: [Document.Value]? = nil, to target: Target
  ) -> Bool {
    changeList(at: target, from: base, to: values) { edit, index, element, old in
      edit.assignPart(values[index], changedFrom: old, to: element, isElement: true)
    }
  }

  /// Writes the value of a list's element, or of a field within: the difference from an old
  /// value if there is one.
  ///
  /// An element with an `id` is written field by field. Beneath, a value is written as a whole
  /// unless it has a rule, so that what belongs together stays together.
  private mutating func assignPart(
    _ value: Document.Value, changedFrom old: Document.Value?, to target: Target,
    isElement: Bool = false
  ) {
    if old == value { return }
    guard case .object(let fields) = value, value.isWritten(inPartsTo: target, isElement: isElement)
    else {
      return assignWhole(value, changedFrom: old, to: target)
    }
    var before: [String: Document.Value] = [:]
    if case .object(let known)? = old, case .object? = rows(of: target).shown(at: target) {
      before = known
    }
    let place = openObject(at: target, isAlone: old == nil)
    for name in before.keys.sorted(by: { $0.comes(before: $1) }) where fields[name] == nil {
      clear(target.field(name, in: place))
    }
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      assignPart(value, changedFrom: before[name], to: target.field(name, in: place))
    }
  }

  /// Writes a value that has a rule by its difference, and any other as a whole.
  private mutating func assignWhole(
    _ value: Document.Value, changedFrom old: Document.Value?, to target: Target
  ) {
    guard target.rules != nil else {
      _ = assignValue(value, to: target, isForced: false)
      return
    }
    guard let old else {
      assign(value, to: target, isForced: false)
      return
    }
    let changes = Document.differences(
      from: [target.name: old], to: [target.name: value],
      under: RuleTree([[target.name]: target.rule]))
    for change in changes { apply(change.change, to: target) }
  }

  /// Writes an element of a model's list; fields that the model doesn't know stay.
  mutating func writeElement(_ node: CodableNode, to element: Target) {
    let value = Document.Value(node)
    guard case .object(let fields) = value, value.isWritten(inPartsTo: element, isElement: true)
    else {
      return assignWhole(value, changedFrom: nil, to: element)
    }
    let place = openObject(at: element)
    for field in node.fields {
      let target = element.field(field.key, in: place)
      if let value = fields[field.key] {
        assignPart(value, changedFrom: nil, to: target)
      } else {
        _ = writeAbsence(of: target)
      }
    }
  }
}

extension Document.Value {
  /// Whether an object is written name by name: an element of a list that has an `id`, and any
  /// object within which fields have rules.
  fileprivate func isWritten(
    inPartsTo target: Document.Editor.Target, isElement: Bool
  ) -> Bool {
    target.isOpen && (target.rules != nil || isElement && elementName != nil)
  }
}

extension Document.Editor {
  /// Writes one element of a list: the element with an index in the new array, given its field
  /// and its value in the base; `nil` for a new one.
  typealias ElementWriter = (
    _ edit: inout Document.Editor, _ index: Int, _ element: Target, _ old: Document.Value?
  ) -> Void

  /// Applies the difference of two arrays to a list, and returns whether the list changed.
  ///
  /// Without a base, what is seen of the list is the base.
  ///
  /// - Complexity: Expected O(size of the arrays and of the list), with a factor of O(log n).
  mutating func changeList(
    at target: Target, from base: [Document.Value]?, to values: [Document.Value],
    isShared: Bool = false, _ write: ElementWriter
  ) -> Bool {
    let before = table.eventCount
    switch rows(of: target).shown(at: target) {
    case .value(.array(values))?: if base == nil || base == values { return false }
    default: break
    }
    let place = openList(target)
    let contents = contents(of: place)
    let current = contents.elements(in: place, under: target.rules)
    let known = base == nil ? current.filter { isSeen($0, in: place) } : current
    let base = base ?? known.map(\.value)
    if !isShared, base == values, known.count == current.count {
      return table.eventCount != before
    }
    var change = ListChange(from: base, to: values, over: known)
    for element in change.removed { removeElement(element, in: place) }
    removePositions(of: contents.idlePositions(in: place), in: place)
    var names = ListNames(taken: current.map(\.name))
    var previous: Dot?
    for index in values.indices {
      let source = change.sources[index]
      let element: ListElement
      if let number = source.element {
        element = change.elements[number]
        write(&self, index, target.field(element.name, in: place), source.old)
        if source.isMoved || element.place == nil {
          change.elements[number].place = placeElement(element.name, after: previous, in: place)
        }
        previous = change.elements[number].place ?? previous
        continue
      }
      let value = values[index]
      // Someone has removed it: an element with an `id` stays removed, and what is unchanged.
      if let old = source.old, old == value || value.elementName != nil { continue }
      let name =
        isShared
        ? names.shared(for: value)
        : names.own(for: value, Dot(replica, table.seen(of: replica) &+ 1), at: timestamp.time)
      write(&self, index, target.field(name, in: place), nil)
      previous = placeElement(name, after: previous, in: place)
    }
    return table.eventCount != before
  }

  private mutating func isSeen(_ element: ListElement, in place: Document.Place) -> Bool {
    isSeen == nil || !dots(of: element, in: place).isEmpty
  }

  /// The dots of the seen rows of an element's value.
  private mutating func dots(
    of element: ListElement, in place: Document.Place
  ) -> ContiguousArray<Dot> {
    dots(of: Document.RowKey(place, .field(element.name)))
      + dotsWithin(place.appending(element.name))
  }

  /// Removes an element of a list with all that is seen of it.
  mutating func removeElement(_ element: ListElement, in place: Document.Place) {
    clear(
      dots(of: element, in: place) + dots(of: Document.RowKey(place, .position(element.name))))
  }

  /// Makes an element stand after the one with a place, or at the beginning; returns its place.
  ///
  /// The row that says so belongs to the character of the event before its own.
  mutating func placeElement(
    _ name: String, after previous: Dot?, in place: Document.Place
  ) -> Dot {
    let key = Document.RowKey(place, .position(name))
    let known = dots(of: key)
    let start = place.listStart
    let offset =
      previous.flatMap { table.textOffset(after: $0) } ?? table.textRange(at: start).lowerBound
    table.insertText(" ", at: offset, inTextAt: start, by: replica)
    let dot = Dot(replica, table.seen(of: replica))
    table.write(row(key, .member), by: replica, killing: known)
    table.removeElements(known.places, by: replica)
    return dot
  }

  /// Removes the places of elements that have gone while others moved them.
  private mutating func removePositions(of names: [String], in place: Document.Place) {
    guard isSeen == nil else { return }
    for name in names {
      clear(dots(of: Document.RowKey(place, .position(name))))
    }
  }
}

extension Dot {
  /// The character to which a row of a position belongs: that of the event before.
  var listPlace: Dot { Dot(replica, counter &- 1) }
}

extension ContiguousArray<Dot> {
  /// The characters to which rows of positions belong.
  var places: ContiguousArray<Dot> { ContiguousArray(lazy.map(\.listPlace)) }
}
