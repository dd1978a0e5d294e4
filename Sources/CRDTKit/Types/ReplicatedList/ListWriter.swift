/// Makes the changes of a list on behalf of a replica.
@usableFromInline
struct ListWriter<Value: MapValue> {
  @usableFromInline typealias Key = ListRowKey<Value.RowKey>
  @usableFromInline typealias Payload = ListRowPayload<Value.RowPayload>

  @usableFromInline let scope: TableScope<Key, Payload>

  @inlinable
  init(_ scope: RowScope<Key, Payload>) {
    // A list is never part of a map, so its scope has a table of its own.
    self.scope = unsafeDowncast(scope, to: TableScope<Key, Payload>.self)
  }

  @inlinable
  var table: DotTable<Key, Payload> { scope.table }

  @inlinable
  var count: Int { scope.table.livingPlaceCount - hidden.ranks.count }

  @inlinable
  var hidden: HiddenPlaces {
    prepare()
    return scope.table.hiddenPlaces
  }

  /// Makes the index current in place; a look-up would make a new one.
  @inlinable
  func prepare() {
    _ = scope.table.prepareIndex()
  }

  @inlinable
  func places(of id: ListElementID) -> DotTable<Key, Payload>.ElementPlaces {
    prepare()
    return scope.table.places(of: id)
  }

  @inlinable
  func id(at index: Int) -> ListElementID {
    precondition(0..<count ~= index, "the index \(index) is not in 0..<\(count)")
    return id(at: index, hidden)
  }

  @inlinable
  func id(at index: Int, _ hidden: HiddenPlaces) -> ListElementID {
    guard let place = scope.table.place(hidden.rank(of: index)) else {
      preconditionFailure("no place of the element \(index)")
    }
    return scope.table.element(at: place)
  }

  @inlinable
  func ids(in range: some Sequence<Int>) -> [ListElementID] {
    let (count, hidden) = (count, hidden)
    return range.map { index in
      precondition(0..<count ~= index, "the index \(index) is not in 0..<\(count)")
      return id(at: index, hidden)
    }
  }

  @inlinable
  func index(of id: ListElementID) -> Int? {
    places(of: id).shown.flatMap { scope.table.rank(of: $0) }.map { hidden.index(of: $0) }
  }

  @inlinable
  func contains(_ id: ListElementID) -> Bool {
    places(of: id).shown != nil
  }

  /// Returns a scope for the value of an element.
  @inlinable
  func value(of id: ListElementID) -> ElementScope<Value.RowKey, Value.RowPayload> {
    ElementScope(scope, under: id)
  }
}

extension ListWriter {
  /// Makes an element before the one with an index; returns its identity.
  ///
  /// The place comes after the first row of the value. If two go on from here under the same
  /// replica's name, their first events then differ, and not only some later ones.
  @inlinable
  func insert(
    at index: Int, _ body: (ElementScope<Value.RowKey, Value.RowPayload>) throws -> Void
  ) rethrows -> ListElementID {
    let rank = rank(before: index)
    let id = idOfPlaceAfterRow
    var place: Dot?
    let element = ElementScope(scope, under: id) { place = insertPlaces(1, at: rank).first }
    do {
      try body(element)
    } catch {
      if place != nil { remove(CollectionOfOne(id)) }
      throw error
    }
    if place == nil { place = insertPlaces(1, at: rank).first }
    prepare()
    return place.map { ListElementID($0) } ?? id
  }

  /// The identity of an element whose place is made after one row.
  @inlinable
  var idOfPlaceAfterRow: ListElementID {
    ListElementID(Dot(scope.replica, scope.table.seen(of: scope.replica) &+ 2))
  }

  /// Returns the rank of a new place before the element with an index: right after the one
  /// before.
  @inlinable
  func rank(before index: Int) -> Int {
    precondition(0...count ~= index, "the index \(index) is not in 0...\(count)")
    return index == 0 ? 0 : hidden.rank(of: index - 1) + 1
  }

  @inlinable
  func insertPlaces(_ count: Int, at rank: Int) -> ContiguousArray<Dot> {
    let known = scope.table.seen(of: scope.replica)
    scope.table.insertPlaces(count, at: rank, by: scope.replica)
    let isAlone = scope.table.seen(of: scope.replica) == known &+ UInt64(count)
    return ContiguousArray(
      (0..<count).compactMap { place in
        isAlone
          ? Dot(scope.replica, known &+ UInt64(place) &+ 1) : scope.table.place(rank + place)
      })
  }

  /// Moves elements to before the one with an index, and keeps their order.
  ///
  /// The earlier places are killed first, so that the first event depends on the elements.
  @inlinable
  func move(_ ids: [ListElementID], before index: Int) {
    let previous = index == 0 ? nil : scope.table.place(hidden.rank(of: index - 1))
    let moved = ids.map { (id: $0, places: places(of: $0)) }
    let left = ContiguousArray(moved.lazy.flatMap(\.places.living))
    kill(left)
    var rank = previous.flatMap { scope.table.rank(of: $0) } ?? 0
    if let previous, !left.contains(previous) { rank += 1 }
    for (id, places) in moved {
      _ = insertPlaces(1, at: rank)
      // The row belongs to the place of the event before its own.
      scope.write(Row(key: Key(placeOf: id), payload: .place), killing: places.rows)
      rank += 1
    }
  }

  /// Removes elements with all that is seen of them.
  @inlinable
  func remove(_ ids: some Sequence<ListElementID>) {
    var places: ContiguousArray<Dot> = []
    var removed: ContiguousArray<(id: ListElementID, rows: ContiguousArray<Dot>)> = []
    for id in ids {
      let known = self.places(of: id)
      places.append(contentsOf: known.living)
      removed.append((id, ContiguousArray((known.rows + value(of: id).dots()).sorted())))
    }
    kill(places)
    for (id, rows) in removed {
      scope.write(Row(key: Key(placeOf: id), payload: .removed), killing: rows)
    }
  }

  /// Kills places, in one event.
  @inlinable
  func kill(_ places: ContiguousArray<Dot>) {
    if !places.isEmpty { scope.table.removeElements(places, by: scope.replica) }
    prepare()
  }
}
