extension ListWriter where Value: RegisterValue {
  /// Inserts elements with plain values: first the rows of all, then their places.
  ///
  /// So what two write under one name differs from the first event on that differs in a value,
  /// their number or where they stand, and no element is made by events before that and after.
  @inlinable
  func insert(
    _ contents: some Collection<Value.Content>, at index: Int,
    _ row: (Value.Content) -> Value.RowPayload
  ) -> [ListElementID] {
    let (rank, count) = (rank(before: index), contents.count)
    guard count > 0 else { return [] }
    let author = author(of: 2 * count)
    let ids = ids(ofPlaces: count, by: author)
    for (id, content) in zip(ids, contents) {
      scope.table.write(
        Row(key: Key(id, NoPayload()), payload: .value(row(content))), by: author, killing: [])
    }
    scope.table.insertPlaces(count, at: rank, by: author)
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
  ) {
    let old = ids(in: 0..<count)
    let difference = ListDifference(
      from: old.map { table.content(of: $0, as: Value.self).map { EncodedValue($0) } },
      to: contents.map { EncodedValue($0) })
    remove(difference.removed.map { old[$0] })
    var previous: ListElementID?
    var place = 0
    while place < contents.count {
      var end = place + 1
      switch difference.sources[place] {
      case .kept(let index): previous = old[index]
      case .written(let index):
        var editor = Editor<Value>(value(of: old[index]))
        write(&editor, contents[place])
        previous = old[index]
      case .moved(let index):
        move([old[index]], before: indexAfter(previous))
        previous = old[index]
      case .inserted:
        while end < contents.count, difference.sources[end] == .inserted { end += 1 }
        previous = insert(contents[place..<end], at: indexAfter(previous), row).last
      }
      place = end
    }
  }

  /// Returns the index after an element; 0 without one.
  @inlinable
  func indexAfter(_ element: ListElementID?) -> Int {
    element.flatMap { index(of: $0) }.map { $0 + 1 } ?? 0
  }
}

/// A value as its bytes: they tell two spellings of a text apart, which are `==`.
@usableFromInline
struct EncodedValue: Hashable {
  @usableFromInline let bytes: [UInt8]

  @inlinable
  init(_ value: some CanonicalCodable) {
    var writer = ByteWriter()
    value.encode(to: &writer)
    bytes = writer.finish()
  }
}
