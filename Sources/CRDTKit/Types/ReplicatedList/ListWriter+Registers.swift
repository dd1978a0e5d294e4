extension ListWriter where Value: RegisterValue {
  /// Inserts elements with plain values.
  @inlinable
  func insert(
    _ contents: some Collection<Value.Content>, at index: Int,
    _ row: (Value.Content) -> Value.RowPayload
  ) -> [ListElementID] {
    let rank = rank(before: index)
    guard let first = contents.first else { return [] }
    value(of: idOfPlaceAfterRow).write(content: row(first))
    let ids = insertPlaces(contents.count, at: rank).map { ListElementID($0) }
    for (id, content) in zip(ids, contents).dropFirst() {
      value(of: id).write(content: row(content))
    }
    return ids
  }

  /// Makes the list equal to an array by few changes.
  ///
  /// Elements with equal values stay the same elements. Of those, as many as possible stay where
  /// they are; the others are moved. An element that gives way to a new value where it stands is
  /// written; the remaining ones are removed or inserted.
  @inlinable
  func set(
    to contents: [Value.Content], row: (Value.Content) -> Value.RowPayload,
    write: (inout Editor<Value>, Value.Content) -> Void
  ) where Value.Content: Hashable {
    let old = ids(in: 0..<count)
    let difference = ListDifference(
      from: old.map { table.content(of: $0, as: Value.self) }, to: contents)
    remove(difference.removed.map { old[$0] })
    var previous: ListElementID?
    for (place, source) in difference.sources.enumerated() {
      let gap = previous.flatMap { self.index(of: $0) }.map { $0 + 1 } ?? 0
      switch source {
      case .kept(let index): previous = old[index]
      case .written(let index):
        var editor = Editor<Value>(value(of: old[index]))
        write(&editor, contents[place])
        previous = old[index]
      case .moved(let index):
        move([old[index]], before: gap)
        previous = old[index]
      case .inserted:
        previous = insert(CollectionOfOne(contents[place]), at: gap, row).first
      }
    }
  }
}

extension ElementScope where Key == NoPayload {
  /// Writes the row of a register that has none yet.
  @inlinable
  func write(content: Payload) {
    write(Row(key: NoPayload(), payload: content), killing: [])
  }
}
