public import Synchronization

/// What is derived from a table's rows to find them: made when first needed,
/// shared by copies of the table.
///
/// Reading may happen on several threads at once, so what a reader derives is
/// published once and never changed. Only a table that holds the sole reference
/// to a cache, of which nothing was published, changes its indexes in place;
/// that makes the class safe to send.
@usableFromInline
package final class KeyIndexCache: @unchecked Sendable {
  @usableFromInline package var index: KeyIndex
  /// The rows under each prefix of nested keys, once these were asked for.
  @usableFromInline var groups: GroupIndex?

  /// A cache whose index covers the events of all tables that share this one.
  @usableFromInline let extended = AtomicLazyReference<KeyIndexCache>()
  /// A cache whose groups do.
  @usableFromInline let extendedGroups = AtomicLazyReference<KeyIndexCache>()
  /// The rows that stand behind another with the same key.
  @usableFromInline let shadows = AtomicLazyReference<ShadowList>()

  @inlinable
  package init(_ index: KeyIndex, groups: GroupIndex? = nil) {
    self.index = index
    self.groups = groups
  }

  @inlinable
  var hasPublished: Bool {
    extended.load() != nil || extendedGroups.load() != nil || shadows.load() != nil
  }

  /// A cache to change, which begins with the most that was derived.
  @inlinable
  func successor() -> KeyIndexCache {
    KeyIndexCache(
      extended.load()?.index ?? index,
      groups: extendedGroups.load()?.groups ?? groups
    )
  }
}
