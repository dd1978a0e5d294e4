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
    let author = author(of: 2)
    let id = ids(ofPlaces: 1, by: author)[0]
    var isPlaced = author != scope.replica
    if isPlaced { insertPlaceAfterEvent(at: rank, by: author) }
    let element = ElementScope(scope, under: id) {
      if !isPlaced { scope.table.insertPlaces(1, at: rank, by: author) }
      isPlaced = true
    }
    do {
      try body(element)
    } catch {
      if isPlaced { remove(CollectionOfOne(id)) }
      throw error
    }
    if !isPlaced { insertPlaceAfterEvent(at: rank, by: author) }
    prepare()
    return id
  }

  /// Makes the place of an element without a row: after an event that does nothing, because as
  /// many events come before places as there are places.
  @inlinable
  func insertPlaceAfterEvent(at rank: Int, by author: ReplicaID) {
    scope.table.remove([], by: author)
    scope.table.insertPlaces(1, at: rank, by: author)
  }

  /// Returns the replica that makes a number of events one after another.
  ///
  /// That is another one than the editor's only where a hostile peer has used up the counters
  /// of that.
  @inlinable
  func author(of events: Int) -> ReplicaID {
    Dot.counterMax &- scope.table.seen(of: scope.replica) < UInt64(events)
      ? ReplicaID.random() : scope.replica
  }

  /// Returns the identities of elements whose places come after as many other events.
  @inlinable
  func ids(ofPlaces count: Int, by author: ReplicaID) -> [ListElementID] {
    let first = scope.table.seen(of: author) &+ UInt64(count) &+ 1
    return (0..<count).map { ListElementID(Dot(author, first &+ UInt64($0))) }
  }

  /// Returns the rank of a new place before the element with an index: right after the one
  /// before.
  @inlinable
  func rank(before index: Int) -> Int {
    precondition(0...count ~= index, "the index \(index) is not in 0...\(count)")
    return index == 0 ? 0 : hidden.rank(of: index - 1) + 1
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
      let author = author(of: 2)
      scope.table.insertPlaces(1, at: rank, by: author)
      // The row belongs to the place of the event before its own.
      scope.table.write(
        Row(key: Key(placeOf: id), payload: .place), by: author, killing: places.rows)
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
