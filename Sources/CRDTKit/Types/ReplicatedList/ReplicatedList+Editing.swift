extension ReplicatedList {
  /// Inserts an element before an index on behalf of a replica, and returns its identity.
  ///
  ///     list.insert(at: 0, by: phone) { $0.set("milk") }
  ///
  /// - Parameters:
  ///   - index: The index that the element has afterwards.
  ///   - replica: The replica that inserts it.
  ///   - body: Makes the value, which is empty at first. A register needs a write. If the body
  ///     throws, there is no new element.
  /// - Returns: The identity of the element.
  /// - Precondition: The index is in `0...count`.
  /// - Complexity: O(log n) and the complexity of `body`; as ``id(at:)`` after changes by others.
  @inlinable
  @discardableResult
  public mutating func insert<Result>(
    at index: Int, by replica: ReplicaID, _ body: (inout Editor<Value>) throws -> Result
  ) rethrows -> ElementID {
    try withEditor(by: replica) { try $0.insert(at: index, body) }
  }

  /// Adds an element at the end on behalf of a replica, and returns its identity.
  ///
  /// - Complexity: As ``insert(at:by:_:)``.
  @inlinable
  @discardableResult
  public mutating func append<Result>(
    by replica: ReplicaID, _ body: (inout Editor<Value>) throws -> Result
  ) rethrows -> ElementID {
    try withEditor(by: replica) { try $0.append(body) }
  }

  /// Changes the value of the element at an index on behalf of a replica.
  ///
  ///     tasks.update(at: 0, by: phone) { $0.insert("urgent") }
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: O(log n) and the complexity of `body`.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    at index: Int, by replica: ReplicaID, _ body: (inout Editor<Value>) throws -> Result
  ) rethrows -> Result {
    try withEditor(by: replica) { try $0.update(at: index, body) }
  }

  /// Changes the value of an element on behalf of a replica; does nothing and returns `nil` if
  /// the element is not in the list.
  ///
  /// - Complexity: O(log n) and the complexity of `body`.
  @inlinable
  @discardableResult
  public mutating func update<Result>(
    id: ElementID, by replica: ReplicaID, _ body: (inout Editor<Value>) throws -> Result
  ) rethrows -> Result? {
    try withEditor(by: replica) { try $0.update(id: id, body) }
  }

  /// Moves an element to another index on behalf of a replica.
  ///
  /// It makes no event if the element stands there already.
  ///
  /// - Parameters:
  ///   - source: The index of the element.
  ///   - destination: The index that it has afterwards.
  ///   - replica: The replica that moves it.
  /// - Precondition: Both indices are valid.
  /// - Complexity: O(log n).
  @inlinable
  public mutating func move(from source: Int, to destination: Int, by replica: ReplicaID) {
    withEditor(by: replica) { $0.move(from: source, to: destination) }
  }

  /// Moves elements to before another one on behalf of a replica, as SwiftUI's `onMove` does.
  ///
  ///     ForEach(list.items) { … }
  ///       .onMove { list.move(fromOffsets: $0, toOffset: $1, by: phone) }
  ///
  /// - Parameters:
  ///   - offsets: The indices of the elements, which keep their order.
  ///   - destination: The index, before the move, of the element that they stand before
  ///     afterwards; `count` for the end.
  ///   - replica: The replica that moves them.
  /// - Precondition: The indices are valid, and the destination is in `0...count`.
  /// - Complexity: O(m · log n) for m elements.
  @inlinable
  public mutating func move(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int, by replica: ReplicaID
  ) {
    withEditor(by: replica) { $0.move(fromOffsets: offsets, toOffset: destination) }
  }

  /// Removes the element at an index on behalf of a replica.
  ///
  /// - Precondition: The index is valid.
  /// - Complexity: O(log n), and expected O(rows of the value).
  @inlinable
  public mutating func remove(at index: Int, by replica: ReplicaID) {
    removeSubrange(index..<index + 1, by: replica)
  }

  /// Removes an element on behalf of a replica, and returns whether it was in the list.
  ///
  /// - Complexity: As ``remove(at:by:)``.
  @inlinable
  @discardableResult
  public mutating func remove(id: ElementID, by replica: ReplicaID) -> Bool {
    withEditor(by: replica) { $0.remove(id: id) }
  }

  /// Removes the elements at some indices on behalf of a replica, as SwiftUI's `onDelete` does.
  ///
  /// - Precondition: The indices are valid.
  /// - Complexity: As ``remove(at:by:)``, for each element.
  @inlinable
  public mutating func remove(atOffsets offsets: some Sequence<Int>, by replica: ReplicaID) {
    withEditor(by: replica) { $0.remove(atOffsets: offsets) }
  }

  /// Removes the elements in a range of indices on behalf of a replica.
  ///
  /// - Precondition: The indices are valid.
  /// - Complexity: As ``remove(at:by:)``, for each element.
  @inlinable
  public mutating func removeSubrange(_ range: Range<Int>, by replica: ReplicaID) {
    withEditor(by: replica) { $0.removeSubrange(range) }
  }

  /// Removes all elements that are seen here, on behalf of a replica.
  ///
  /// - Complexity: As ``remove(at:by:)``, for each element.
  @inlinable
  public mutating func removeAll(by replica: ReplicaID) {
    withEditor(by: replica) { $0.removeAll() }
  }
}
