/// Changes a replicated value, or one nested in a map, on behalf of a replica.
///
/// You get one in the body of ``TableBacked/edit(by:_:)`` and of the `update`
/// methods of maps; it can't be kept or copied. What it offers depends on the
/// value: a set's editor inserts and removes, a counter's increments.
@frozen
public struct Editor<Value: MapValue>: ~Copyable {
  @usableFromInline let scope: RowScope<Value.RowKey, Value.RowPayload>

  @inlinable
  init(_ scope: RowScope<Value.RowKey, Value.RowPayload>) {
    self.scope = scope
  }

  /// The replica that makes the changes.
  @inlinable
  public var replica: ReplicaID { scope.replica }

  /// Replaces all rows with a key by one.
  @inlinable
  func replace(_ key: Value.RowKey, with payload: Value.RowPayload) {
    scope.write(Row(key: key, payload: payload), killing: scope.dots(of: key))
  }
}
