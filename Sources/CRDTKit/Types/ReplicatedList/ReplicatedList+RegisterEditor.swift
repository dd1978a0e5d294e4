extension Editor {
  /// Inserts a plain value before an index of the list; returns the new element.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(_ value: Content, at index: Int) -> ListElementID
  where Value == ReplicatedList<MVRegister<Content>> {
    insert(at: index) { $0.set(value) }
  }

  /// Inserts plain values before an index of the list; returns the new elements.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    contentsOf values: some Collection<Content>, at index: Int
  ) -> [ListElementID] where Value == ReplicatedList<MVRegister<Content>> {
    ListWriter<MVRegister<Content>>(scope).insert(values, at: index) { $0 }
  }

  /// Adds a plain value at the end of the list; returns the new element.
  @inlinable
  @discardableResult
  public mutating func append<Content>(_ value: Content) -> ListElementID
  where Value == ReplicatedList<MVRegister<Content>> {
    append { $0.set(value) }
  }

  /// Adds plain values at the end of the list; returns the new elements.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    contentsOf values: some Collection<Content>
  ) -> [ListElementID] where Value == ReplicatedList<MVRegister<Content>> {
    insert(contentsOf: values, at: ListWriter<MVRegister<Content>>(scope).count)
  }

  /// Replaces the plain value of the element at an index of the list.
  @inlinable
  public mutating func replace<Content>(at index: Int, with value: Content)
  where Value == ReplicatedList<MVRegister<Content>> {
    update(at: index) { $0.set(value) }
  }

  /// Makes the plain values of the list equal to an array by few changes.
  @inlinable
  public mutating func set<Content>(to values: [Content])
  where Value == ReplicatedList<MVRegister<Content>> {
    let writer = ListWriter<MVRegister<Content>>(scope)
    writer.set(to: values, row: { $0 }, write: { $0.set($1) })
  }

  /// Inserts a plain value before an index of the list; returns the new element.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    _ value: Content, at index: Int, timestamp: HybridTimestamp
  ) -> ListElementID where Value == ReplicatedList<LWWRegister<Content>> {
    insert(at: index) { $0.set(value, at: timestamp) }
  }

  /// Inserts plain values before an index of the list; returns the new elements.
  @inlinable
  @discardableResult
  public mutating func insert<Content>(
    contentsOf values: some Collection<Content>, at index: Int, timestamp: HybridTimestamp
  ) -> [ListElementID] where Value == ReplicatedList<LWWRegister<Content>> {
    ListWriter<LWWRegister<Content>>(scope).insert(values, at: index) {
      LWWRegister($0, at: timestamp)
    }
  }

  /// Adds a plain value at the end of the list; returns the new element.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    _ value: Content, timestamp: HybridTimestamp
  ) -> ListElementID where Value == ReplicatedList<LWWRegister<Content>> {
    append { $0.set(value, at: timestamp) }
  }

  /// Adds plain values at the end of the list; returns the new elements.
  @inlinable
  @discardableResult
  public mutating func append<Content>(
    contentsOf values: some Collection<Content>, timestamp: HybridTimestamp
  ) -> [ListElementID] where Value == ReplicatedList<LWWRegister<Content>> {
    insert(
      contentsOf: values, at: ListWriter<LWWRegister<Content>>(scope).count,
      timestamp: timestamp)
  }

  /// Replaces the plain value of the element at an index of the list; returns whether that
  /// changed it.
  @inlinable
  @discardableResult
  public mutating func replace<Content>(
    at index: Int, with value: Content, timestamp: HybridTimestamp
  ) -> Bool where Value == ReplicatedList<LWWRegister<Content>> {
    update(at: index) { $0.set(value, at: timestamp) }
  }

  /// Makes the plain values of the list equal to an array by few changes.
  @inlinable
  public mutating func set<Content>(to values: [Content], timestamp: HybridTimestamp)
  where Value == ReplicatedList<LWWRegister<Content>> {
    let writer = ListWriter<LWWRegister<Content>>(scope)
    writer.set(
      to: values, row: { LWWRegister($0, at: timestamp) },
      write: { $0.set($1, at: timestamp) })
  }
}
