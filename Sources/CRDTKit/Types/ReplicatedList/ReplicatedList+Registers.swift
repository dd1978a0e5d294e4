/// A register: a replicated value that holds a plain one.
///
/// A ``ReplicatedList`` of registers takes and returns plain values. Do not conform types of
/// your own to this protocol.
public protocol RegisterValue: MapValue where RowKey == NoPayload {
  /// The type of the plain value.
  associatedtype Content: CanonicalCodable

  /// Returns the plain value that some rows of one register hold; `nil` if there are no rows.
  static func _content(of rows: ContiguousArray<RowPayload>) -> Content?
}

extension MVRegister: RegisterValue {
  /// Returns the first of the concurrent values.
  @inlinable
  public static func _content(of rows: ContiguousArray<Value>) -> Value? {
    rows.first
  }
}

extension LWWRegister: RegisterValue {
  /// Returns the value that was written last.
  @inlinable
  public static func _content(of rows: ContiguousArray<LWWRegister>) -> Value? {
    guard var winner = rows.first else { return nil }
    for row in rows.dropFirst() { winner.merge(row) }
    return winner.value
  }
}

extension ReplicatedList where Value: RegisterValue {
  /// The plain values of the elements, in order.
  ///
  /// Where concurrent writes have left several values in an ``MVRegister``, it is the first of
  /// them; where there was no write, the element is left out.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public var values: [Value.Content] {
    let substitute = findings.substitute
    return ids.compactMap { id in content(of: id) ?? substitute.flatMap { content(of: $0) } }
  }

  @inlinable
  func content(of id: ElementID) -> Value.Content? {
    _table.content(of: id, as: Value.self)
  }
}

extension DotTable {
  /// Returns the plain value of a list's element; `nil` if there is none.
  @inlinable
  func content<Value: RegisterValue>(
    of id: ListElementID, as type: Value.Type
  ) -> Value.Content?
  where Key == ListRowKey<NoPayload>, Payload == ListRowPayload<Value.RowPayload> {
    Value._content(
      of: ContiguousArray(
        dots(of: ListRowKey(id, NoPayload())).compactMap { row(at: $0)?.payload.content }))
  }
}

extension ReplicatedList {
  /// Inserts a plain value before an index on behalf of a replica; returns the new element.
  ///
  /// - Precondition: The index is in `0...count`.
  /// - Complexity: As ``insert(at:by:_:)``.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    _ value: Content, at index: Int, by replica: ReplicaID
  ) -> ElementID where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.insert(value, at: index) }
  }

  /// Inserts plain values before an index on behalf of a replica; returns the new elements.
  ///
  /// They stay together, whatever others insert there at the same time.
  ///
  /// - Precondition: The index is in `0...count`.
  /// - Complexity: O(m + log n) for m values.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    contentsOf values: some Collection<Content>, at index: Int, by replica: ReplicaID
  ) -> [ElementID] where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.insert(contentsOf: values, at: index) }
  }

  /// Adds a plain value at the end on behalf of a replica; returns the new element.
  ///
  /// - Complexity: As ``insert(at:by:_:)``.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    _ value: Content, by replica: ReplicaID
  ) -> ElementID where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.append(value) }
  }

  /// Adds plain values at the end on behalf of a replica; returns the new elements.
  ///
  /// - Complexity: As ``insert(contentsOf:at:by:)``.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    contentsOf values: some Collection<Content>, by replica: ReplicaID
  ) -> [ElementID] where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.append(contentsOf: values) }
  }

  /// Replaces the plain value of the element at an index on behalf of a replica.
  ///
  /// The element stays the same. It replaces all values that are seen here.
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: O(log n).
  @inlinable
  public mutating func replace<Content>(
    at index: Int, with value: Content, by replica: ReplicaID
  ) where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.replace(at: index, with: value) }
  }

  /// Makes the plain values equal to an array by few changes on behalf of a replica.
  ///
  /// Elements with equal values stay the same; the others are written, moved, removed and
  /// inserted. If nothing differs, it makes no event. What the array lacks is removed, also what
  /// others added that you have merged but not shown: if the array comes from a view, set the
  /// copy that the view shows, and merge that.
  ///
  /// - Complexity: Expected O(n log n) for the elements of both.
  @inlinable
  public mutating func set<Content>(
    to values: [Content], by replica: ReplicaID
  ) where Value == MVRegister<Content> {
    withEditor(by: replica) { $0.set(to: values) }
  }

  /// Inserts a plain value before an index on behalf of a replica; returns the new element.
  ///
  /// - Precondition: The index is in `0...count`.
  /// - Complexity: As ``insert(at:by:_:)``.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    _ value: Content, at index: Int, timestamp: HybridTimestamp, by replica: ReplicaID
  ) -> ElementID where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.insert(value, at: index, timestamp: timestamp) }
  }

  /// Inserts plain values before an index on behalf of a replica; returns the new elements.
  ///
  /// They stay together, whatever others insert there at the same time.
  ///
  /// - Precondition: The index is in `0...count`.
  /// - Complexity: O(m + log n) for m values.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    contentsOf values: some Collection<Content>, at index: Int, timestamp: HybridTimestamp,
    by replica: ReplicaID
  ) -> [ElementID] where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.insert(contentsOf: values, at: index, timestamp: timestamp) }
  }

  /// Adds a plain value at the end on behalf of a replica; returns the new element.
  ///
  /// - Complexity: As ``insert(at:by:_:)``.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    _ value: Content, timestamp: HybridTimestamp, by replica: ReplicaID
  ) -> ElementID where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.append(value, timestamp: timestamp) }
  }

  /// Adds plain values at the end on behalf of a replica; returns the new elements.
  ///
  /// - Complexity: As ``insert(contentsOf:at:timestamp:by:)``.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    contentsOf values: some Collection<Content>, timestamp: HybridTimestamp,
    by replica: ReplicaID
  ) -> [ElementID] where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.append(contentsOf: values, timestamp: timestamp) }
  }

  /// Replaces the plain value of the element at an index on behalf of a replica, and returns
  /// whether that changed it.
  ///
  /// The element stays the same. A write has no effect if its timestamp is less than that of a
  /// write seen here.
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: O(log n).
  @inlinable
  @discardableResult
  public mutating func replace<Content>(
    at index: Int, with value: Content, timestamp: HybridTimestamp, by replica: ReplicaID
  ) -> Bool where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.replace(at: index, with: value, timestamp: timestamp) }
  }

  /// Makes the plain values equal to an array by few changes on behalf of a replica.
  ///
  /// Elements with equal values stay the same; the others are written, moved, removed and
  /// inserted. If nothing differs, it makes no event. What the array lacks is removed, also what
  /// others added that you have merged but not shown: if the array comes from a view, set the
  /// copy that the view shows, and merge that. The timestamp must be greater than those of the
  /// writes that it replaces.
  ///
  /// - Complexity: Expected O(n log n) for the elements of both.
  @inlinable
  public mutating func set<Content>(
    to values: [Content], timestamp: HybridTimestamp, by replica: ReplicaID
  ) where Value == LWWRegister<Content> {
    withEditor(by: replica) { $0.set(to: values, timestamp: timestamp) }
  }
}
