/// One live row of a table: what it is about, and what it says.
@frozen
@usableFromInline
package struct Row<Key: Hashable & CanonicalCodable, Payload: CanonicalCodable>: Sendable {
  @usableFromInline package var key: Key
  @usableFromInline package var payload: Payload

  @inlinable
  package init(key: Key, payload: Payload) {
    self.key = key
    self.payload = payload
  }
}
