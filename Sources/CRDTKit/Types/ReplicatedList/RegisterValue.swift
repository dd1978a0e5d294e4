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
