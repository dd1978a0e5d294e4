import Synchronization

extension ReplicatedList {
  /// What reading needs to know about a state, found out once.
  @usableFromInline
  struct Findings: Sendable {
    /// The places that don't count.
    @usableFromInline var hidden = HiddenPlaces()
    /// The number of elements.
    @usableFromInline var count = 0
    /// The element whose value stands for those that are missing.
    ///
    /// A register without a write has no value, and no writer inserts such an element. If a
    /// hostile peer does, it reads as the first element that has a value; if there is none, the
    /// list is empty.
    @usableFromInline var substitute: ElementID?

    @inlinable
    init(hidden: HiddenPlaces) {
      self.hidden = hidden
    }
  }

  /// The findings about a list's present state, which copies of the list share.
  @usableFromInline
  struct Reading: Sendable {
    private final class Cache: Sendable {
      let findings = Mutex<Findings?>(nil)
    }

    private var cache: Cache?

    @usableFromInline
    init() {
      cache = Cache()
    }

    /// Forgets the findings, because the list has changed.
    @usableFromInline
    mutating func change() {
      if isKnownUniquelyReferenced(&cache) {
        cache?.findings.withLock { $0 = nil }
      } else {
        cache = Cache()
      }
    }

    @usableFromInline
    func findings(_ find: () -> Findings) -> Findings {
      guard let cache else { return find() }
      if let found = cache.findings.withLock({ $0 }) { return found }
      let found = find()
      cache.findings.withLock { $0 = found }
      return found
    }
  }

  /// What was found out about the present state.
  @inlinable
  var findings: Findings {
    reading.findings {
      var findings = Findings(hidden: _table.hiddenPlaces)
      findings.count = _table.livingPlaceCount - findings.hidden.ranks.count
      guard findings.count > 0, Value(_table: DotTable()) == nil else { return findings }
      findings.substitute = firstValued(findings.hidden)
      if findings.substitute == nil { findings.count = 0 }
      return findings
    }
  }

  /// The first element with a value; most often the first of all.
  @inlinable
  func firstValued(_ hidden: HiddenPlaces) -> ElementID? {
    if let place = _table.place(hidden.rank(of: 0)) {
      let first = _table.element(at: place)
      if storedValue(of: first) != nil { return first }
    }
    for place in _table.shownPlaces(hidden) {
      let element = _table.element(at: place)
      if storedValue(of: element) != nil { return element }
    }
    return nil
  }
}

extension ReplicatedList: RandomAccessCollection {
  /// An iterator over the values of a list's elements.
  public struct Iterator: IteratorProtocol {
    @usableFromInline let list: ReplicatedList
    @usableFromInline var ids: [ElementID].Iterator

    @inlinable
    init(_ list: ReplicatedList) {
      self.list = list
      ids = list.ids.makeIterator()
    }

    /// The next value, or `nil` after the last.
    @inlinable
    public mutating func next() -> Value? {
      while let id = ids.next() {
        if let value = list.value(of: id) { return value }
      }
      return nil
    }
  }

  /// Returns an iterator over the values, in order.
  ///
  /// - Complexity: O(n log n) for all of them.
  @inlinable
  public func makeIterator() -> Iterator {
    Iterator(self)
  }

  /// The number of elements.
  @inlinable
  public var count: Int { findings.count }

  /// The index of the first element: 0.
  @inlinable
  public var startIndex: Int { 0 }

  /// The index after the last element: ``count``.
  @inlinable
  public var endIndex: Int { count }

  /// The value of the element at an index.
  ///
  /// It is a copy; changing it does not change the list. To change the list, use
  /// ``update(at:by:_:)``.
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: As ``id(at:)``, and O(number of replicas + rows of the value).
  @inlinable
  public subscript(position: Int) -> Value {
    guard let value = value(of: id(at: position)) else {
      preconditionFailure("no value at \(position)")
    }
    return value
  }
}

extension ReplicatedList {
  /// An element with its identity, as a view shows it.
  public struct Item: Identifiable, Sendable {
    /// The element's identity.
    public let id: ElementID
    /// The element's value.
    public let value: Value

    @inlinable
    init(id: ElementID, value: Value) {
      self.id = id
      self.value = value
    }
  }

  /// The elements with their identities, in order.
  ///
  ///     ForEach(list.items) { Text($0.value.description) }
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public var items: [Item] {
    ids.compactMap { id in value(of: id).map { Item(id: id, value: $0) } }
  }
}

extension ReplicatedList.Item: Equatable where Value: Equatable {}
extension ReplicatedList.Item: Hashable where Value: Hashable {}

extension ReplicatedList: CustomStringConvertible, CustomDebugStringConvertible {
  /// The values in brackets.
  public var description: String {
    "[" + map { "\($0)" }.joined(separator: ", ") + "]"
  }

  /// The type, the values and the version.
  public var debugDescription: String {
    "\(Self.self)(\(description), version: \(version))"
  }
}
