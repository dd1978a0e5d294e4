/// A list whose elements several replicas insert, remove, move and edit at the same time.
///
/// The elements are replicated values: registers, counters, sets, maps. Each has an identity,
/// which it keeps when it is moved or edited.
///
///     var list = ReplicatedList<MVRegister<String>>()
///     list.append(contentsOf: ["milk", "tea", "bread"], by: phone)
///     var copy = list                                  // a copy is a branch
///     list.move(from: 2, to: 0, by: phone)             // bread, milk, tea
///     copy.replace(at: 2, with: "rye bread", by: laptop)
///     list.merge(copy)
///     list.values                                      // ["rye bread", "milk", "tea"]
///
/// What concurrent changes come to:
///
/// - Elements inserted at one place all stay, those of each replica together.
/// - An element that several replicas move stands at one of the places they moved it to: that
///   of the replica with the greatest identifier, until somebody moves it again.
/// - A removed element stays removed, whether it is moved or edited at the same time.
/// - Edits of one element merge by the rule of its value.
///
/// A removed element leaves some bytes without its value.
///
/// The order: FugueMax, see ``ReplicatedText``. Moves: Kleppmann, "Moving Elements in List
/// CRDTs", 2020.
public struct ReplicatedList<Value: MapValue>: TableBacked {
  /// The identity of an element.
  public typealias ElementID = ListElementID

  /// The places of the elements as elements of its text, and the rows of their values.
  public var _table: DotTable<ListRowKey<Value.RowKey>, ListRowPayload<Value.RowPayload>> {
    didSet { reading.change() }
  }

  /// What was found out about the present state.
  @usableFromInline var reading = Reading()

  /// Creates an empty list that has seen no events.
  @inlinable
  public init() {
    _table = DotTable()
  }

  /// Creates the list from its rows.
  @inlinable
  public init(
    _table table: DotTable<ListRowKey<Value.RowKey>, ListRowPayload<Value.RowPayload>>
  ) {
    _table = table
  }

  /// The type code of lists, then the value's.
  @inlinable
  public static var typeCode: [UInt8] { [45] + Value.typeCode }
}

extension ReplicatedList: Hashable {
  /// Returns whether both copies have seen the same events and hold the same elements.
  ///
  /// - Complexity: O(rows that the copies don't share).
  @inlinable
  public static func == (left: ReplicatedList, right: ReplicatedList) -> Bool {
    left._table == right._table
  }

  /// Hashes the version and the number of rows.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_table)
  }
}

extension ReplicatedList {
  /// Returns the identity of the element at an index.
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: O(log n); for a list that was changed, also O(c · log n) for c concurrent
  ///   changes of the same elements that nobody has replaced.
  @inlinable
  public func id(at index: Int) -> ElementID {
    precondition(indices.contains(index), "the index \(index) is not in 0..<\(count)")
    guard let place = _table.place(findings.hidden.rank(of: index)) else {
      preconditionFailure("no place of the element \(index)")
    }
    return _table.element(at: place)
  }

  /// Returns the index of an element; `nil` if it is not in the list.
  ///
  /// - Complexity: As ``id(at:)``.
  @inlinable
  public func index(of id: ElementID) -> Int? {
    guard count > 0, let place = _table.places(of: id).shown, let rank = _table.rank(of: place)
    else { return nil }
    return findings.hidden.index(of: rank)
  }

  /// Returns whether an element is in the list.
  ///
  /// - Complexity: Expected O(log n).
  @inlinable
  public func contains(id: ElementID) -> Bool {
    count > 0 && _table.places(of: id).shown != nil
  }

  /// The identities of the elements, in order.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public var ids: [ElementID] {
    count == 0 ? [] : _table.shownPlaces(findings.hidden).map { _table.element(at: $0) }
  }

  /// The value of an element; `nil` if it is not in the list.
  ///
  /// It is a copy; changing it does not change the list. To change the list, use
  /// ``update(id:by:_:)``.
  ///
  /// - Complexity: Expected O(number of replicas + rows of the value).
  @inlinable
  public subscript(id id: ElementID) -> Value? {
    contains(id: id) ? value(of: id) : nil
  }

  /// Returns the value of an element in the list; `nil` if there is none to return.
  @inlinable
  func value(of id: ElementID) -> Value? {
    storedValue(of: id) ?? findings.substitute.flatMap { storedValue(of: $0) }
  }

  /// Returns the value of an element; `nil` if the table has none.
  @inlinable
  func storedValue(of id: ElementID) -> Value? {
    Value(_table: rows(of: id))
  }

  /// The dots of the rows of an element's value, in order.
  @inlinable
  func valueDots(of id: ElementID) -> ContiguousArray<Dot> {
    if let only = NoPayload() as? Value.RowKey { return _table.dots(of: ListRowKey(id, only)) }
    return _table.dots(under: id.hashValue) { $0.element == id && $0.inner != nil }
  }

  /// Returns a table with the rows of an element's value.
  ///
  /// Only a value with a version of its own needs all that were seen.
  @inlinable
  func rows(of id: ElementID) -> DotTable<Value.RowKey, Value.RowPayload> {
    let dots = valueDots(of: id)
    let hasVersion = Value.self is any TableBacked.Type
    var next = 0
    var parts: ContiguousArray<Column<Value.RowKey, Value.RowPayload>> = []
    for place in _table.columns.indices {
      let first = next
      while next < dots.count, dots[next].replica == _table.columns[place].replica { next += 1 }
      guard hasVersion || next > first else { continue }
      parts.append(_table.columns[place].value(of: dots[first..<next]))
    }
    return DotTable(columns: parts)
  }
}

extension Column {
  /// Returns a column of the value of a list's element, with the rows of some dots.
  @inlinable
  func value<Inner, Content>(
    of dots: ArraySlice<Dot>
  ) -> Column<Inner, Content>
  where Key == ListRowKey<Inner>, Payload == ListRowPayload<Content> {
    var part = Column<Inner, Content>(
      replica: replica, seen: seen, fingerprint: fingerprint, origin: origin)
    part.history = history
    part.stretches = stretches
    var builder = PageBuilder<Inner, Content>(seen: seen)
    for dot in dots {
      guard let row = row(at: dot.counter), let key = row.key.inner,
        let content = row.payload.content
      else { continue }
      builder.append(Row(key: key, payload: content), at: dot.counter)
      part.rowCount += 1
    }
    part.pageSlots = SharedList(builder.finish())
    return part
  }
}
