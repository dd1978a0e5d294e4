extension Document {
  /// The rows that undos have put back, with the rows for which they stand.
  ///
  /// A value that an undo puts back is the one that an earlier commit wrote. It still belongs
  /// to that commit, so that commits can be undone one after the other.
  package struct PutBackRows: Hashable, Sendable {
    /// Where a row that was put back comes from.
    package struct Origin: Hashable, Sendable {
      /// The rows that it stands for: the one that was replaced, and those that this one
      /// stood for.
      package var dots: [Dot]
      /// The time when the value was written first.
      package var time: UInt64

      package init(dots: [Dot], time: UInt64) {
        self.dots = dots
        self.time = time
      }

      /// The most rows for which one stands.
      private static var dotCountMax: Int { 16 }

      /// Adds rows for which the row stands as well.
      mutating func add(_ other: Origin) {
        dots += other.dots.filter { !dots.contains($0) }
        time = max(time, other.time)
        // The last row is that of the commit which wrote the value.
        let surplus = dots.count - Self.dotCountMax
        if surplus > 0 { dots.removeSubrange(dots.count - 1 - surplus..<dots.count - 1) }
      }
    }

    /// The origin of each row.
    package var origins: [Dot: Origin] = [:]

    package init() {}
  }

  /// A row that a commit replaced or removed, and that an undo of the commit puts back.
  package struct ReplacedRow: Hashable, Sendable {
    /// The field; for an element, the set.
    package let path: FieldPath
    /// The element of a set; `nil` for a field.
    package let element: Value?
    package let origin: PutBackRows.Origin

    package init(_ path: FieldPath, _ element: Value? = nil, _ origin: PutBackRows.Origin) {
      self.path = path
      self.element = element
      self.origin = origin
    }

    fileprivate func key(in record: Place) -> RowKey? {
      if let element {
        return RowKey(path.names.reduce(record) { $0.appending($1) }, .element(element))
      }
      guard let name = path.names.last else { return nil }
      return RowKey(path.names.dropLast().reduce(record) { $0.appending($1) }, .field(name))
    }
  }
}

extension Document {
  /// The rows that changes of a record are going to replace or remove, as far as undoing the
  /// changes puts them back.
  ///
  /// - Complexity: O(changes, and rows beneath the objects that they replace)
  package func rowsReplaced(
    by changes: [FieldChange], in record: RecordID, knowing putBack: PutBackRows
  ) -> [ReplacedRow] {
    var replaced: [ReplacedRow] = []
    var place: Place?
    func note(_ dots: ContiguousArray<Dot>, _ path: FieldPath, _ element: Value?, _ value: Value?) {
      for dot in dots {
        guard let payload = _table.row(at: dot)?.payload, payload.content.isShown(as: value)
        else { continue }
        var origin = PutBackRows.Origin(dots: [dot], time: payload.time)
        if let older = putBack.origins[dot] { origin.add(older) }
        replaced.append(ReplacedRow(path, element, origin))
      }
    }
    for change in changes {
      let (elements, before): ([Value], Value?) =
        switch change.change {
        case .assign(_, let before), .remove(let before): ([], before)
        case .take(let elements): (elements, nil)
        case .insert, .increment: ([], nil)
        }
      guard !elements.isEmpty || before != nil, let name = change.path.names.last else { continue }
      let root = place ?? Place(record: record.record, in: record.collection)
      place = root
      let outer = change.path.names.dropLast().reduce(root) { $0.appending($1) }
      for element in elements {
        note(
          _table.dots(of: RowKey(outer.appending(name), .element(element))), change.path, element,
          nil)
      }
      guard let before else { continue }
      note(_table.dots(of: RowKey(outer, .field(name))), change.path, nil, before)
      switch before {
      case .object, .array: break
      default: continue
      }
      let inner = outer.appending(name)
      let tree = [name: elementsByName(of: change.path, in: root) ?? before]
      let beneath = _table.dots(under: inner.hash) { $0.part.isContent && $0.place.isWithin(inner) }
      for dot in beneath {
        guard let key = _table.row(at: dot)?.key else { continue }
        if case .position = key.part { continue }
        let path = key.fieldName.map(key.place.path.appending) ?? key.place.path
        let element: Value? = if case .element(let element) = key.part { element } else { nil }
        let names = path.names.dropFirst(change.path.names.count - 1)
        note([dot], path, element, tree.value(at: FieldPath(Array(names))))
      }
    }
    return replaced
  }

  /// The elements of a list by their names; `nil` if the field shows something else.
  private func elementsByName(of path: FieldPath, in record: Place) -> Value? {
    guard let target = target(of: path, in: record),
      case .list? = rows(of: target).shown(at: target)
    else { return nil }
    let place = target.beneath
    let elements = contents(of: place).elements(in: place, under: target.rules)
    return .object(Dictionary(elements.map { ($0.name, $0.value) }) { $1 })
  }

  /// Those rows that are gone now.
  package func gone(_ rows: [ReplacedRow]) -> [ReplacedRow] {
    rows.filter { row in row.origin.dots.first.map { _table.row(at: $0) == nil } ?? false }
  }
}

extension Document.Editor {
  /// Notes which rows an undo has put back, and what they stand for.
  mutating func note(
    _ replaced: [Document.ReplacedRow], after event: UInt64, in record: Document.RecordID
  ) {
    let place = Document.Place(record: record.record, in: record.collection, near: self.record)
    for row in replaced {
      guard let key = row.key(in: place) else { continue }
      for dot in table.dotsForChange(of: key) where dot.replica == replica && dot.counter > event {
        putBack.origins[dot, default: row.origin].add(row.origin)
      }
    }
  }
}

extension Document.PutBackRows {
  /// The rows that stand for rows of a commit, with the times of those.
  func rows(of events: Document.CommitEvents) -> [Dot: UInt64] {
    origins.compactMapValues { $0.dots.contains(where: events.contains) ? $0.time : nil }
  }
}

extension Document.RowPayload.Content {
  /// Whether a row with the content shows a value, for rows beneath an object or set that is
  /// known: what it holds.
  fileprivate func isShown(as shown: Document.Value?) -> Bool {
    switch self {
    case .value(let value), .revision(let value, of: _): value == shown
    case .object: if case .object? = shown { true } else { false }
    case .set: if case .array? = shown { true } else { false }
    case .text: if case .string? = shown { true } else { false }
    case .list: if case .array? = shown { true } else { false }
    case .member: true
    case .counter, .deletion, .mark: false
    }
  }
}
