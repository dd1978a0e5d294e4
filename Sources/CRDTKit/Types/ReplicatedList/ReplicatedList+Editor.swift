extension Editor {
  /// Returns the identity of the element at an index of the list.
  ///
  /// - Precondition: The index is valid.
  @inlinable
  public func id<Item>(at index: Int) -> ListElementID where Value == ReplicatedList<Item> {
    ListWriter<Item>(scope).id(at: index)
  }

  /// Returns the present index of an element of the list; `nil` if it is not there.
  @inlinable
  public func index<Item>(of id: ListElementID) -> Int? where Value == ReplicatedList<Item> {
    ListWriter<Item>(scope).index(of: id)
  }

  /// Inserts an element before an index of the list, and returns its identity.
  ///
  /// - Precondition: The index is in `0...count`.
  @inlinable
  @discardableResult
  public mutating func insert<Item, Result>(
    at index: Int, _ body: (inout Editor<Item>) throws -> Result
  ) rethrows -> ListElementID where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    return try writer.insert(at: index) { element in
      var editor = Editor<Item>(element)
      _ = try body(&editor)
      precondition(
        !element.dots().isEmpty || Item(_table: DotTable()) != nil,
        "an element that is a register needs a write")
    }
  }

  /// Adds an element at the end of the list, and returns its identity.
  @inlinable
  @discardableResult
  public mutating func append<Item, Result>(
    _ body: (inout Editor<Item>) throws -> Result
  ) rethrows -> ListElementID where Value == ReplicatedList<Item> {
    try insert(at: ListWriter<Item>(scope).count, body)
  }

  /// Changes the value of the element at an index of the list.
  ///
  /// - Precondition: The index is valid.
  @inlinable
  @discardableResult
  public mutating func update<Item, Result>(
    at index: Int, _ body: (inout Editor<Item>) throws -> Result
  ) rethrows -> Result where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    var editor = Editor<Item>(writer.value(of: writer.id(at: index)))
    return try body(&editor)
  }

  /// Changes the value of an element of the list; does nothing and returns `nil` if it is not
  /// there.
  @inlinable
  @discardableResult
  public mutating func update<Item, Result>(
    id: ListElementID, _ body: (inout Editor<Item>) throws -> Result
  ) rethrows -> Result? where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    guard writer.contains(id) else { return nil }
    var editor = Editor<Item>(writer.value(of: id))
    return try body(&editor)
  }

  /// Moves an element of the list to another index.
  ///
  /// - Precondition: Both indices are valid.
  @inlinable
  public mutating func move<Item>(from source: Int, to destination: Int)
  where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    precondition(0..<writer.count ~= destination, "the index \(destination) is not valid")
    move(fromOffsets: [source], toOffset: destination < source ? destination : destination + 1)
  }

  /// Moves elements of the list to before another one, as SwiftUI's `onMove` does.
  ///
  /// - Precondition: The indices are valid, and the destination is in `0...count`.
  @inlinable
  public mutating func move<Item>(
    fromOffsets offsets: some Sequence<Int>, toOffset destination: Int
  ) where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    let sources = Set(offsets).sorted()
    precondition(0...writer.count ~= destination, "the index \(destination) is not valid")
    let ids = writer.ids(in: sources)
    guard let first = sources.first, let last = sources.last else { return }
    let stay = last - first + 1 == sources.count && first...last + 1 ~= destination
    if !stay { writer.move(ids, before: destination) }
  }

  /// Removes the element at an index of the list.
  ///
  /// - Precondition: The index is valid.
  @inlinable
  public mutating func remove<Item>(at index: Int) where Value == ReplicatedList<Item> {
    removeSubrange(index..<index + 1)
  }

  /// Removes an element of the list, and returns whether it was there.
  @inlinable
  @discardableResult
  public mutating func remove<Item>(id: ListElementID) -> Bool
  where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    guard writer.contains(id) else { return false }
    writer.remove(CollectionOfOne(id))
    return true
  }

  /// Removes the elements at some indices of the list, as SwiftUI's `onDelete` does.
  ///
  /// - Precondition: The indices are valid.
  @inlinable
  public mutating func remove<Item>(atOffsets offsets: some Sequence<Int>)
  where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    writer.remove(writer.ids(in: Set(offsets).sorted()))
  }

  /// Removes the elements in a range of indices of the list.
  ///
  /// - Precondition: The indices are valid.
  @inlinable
  public mutating func removeSubrange<Item>(_ range: Range<Int>)
  where Value == ReplicatedList<Item> {
    let writer = ListWriter<Item>(scope)
    writer.remove(writer.ids(in: range))
  }

  /// Removes all elements of the list that are seen here.
  @inlinable
  public mutating func removeAll<Item>() where Value == ReplicatedList<Item> {
    removeSubrange(0..<ListWriter<Item>(scope).count)
  }
}
