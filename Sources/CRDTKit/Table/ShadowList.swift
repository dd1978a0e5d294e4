/// The dots of rows that stand behind another row with the same key, in order.
@usableFromInline
package final class ShadowList: Sendable {
  @usableFromInline let dots: ContiguousArray<Dot>

  @inlinable
  init(_ dots: ContiguousArray<Dot>) {
    self.dots = dots
  }
}
