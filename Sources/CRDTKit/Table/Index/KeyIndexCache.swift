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
  /// The index, which is allocated and freed with the cache.
  ///
  /// Through a pointer, finding a row costs no check for overlapping accesses.
  @usableFromInline package let index: UnsafeMutablePointer<KeyIndex>
  /// The rows under each prefix of nested keys, once these were asked for.
  @usableFromInline var groups: GroupIndex?

  @usableFromInline let isPublished = Atomic(false)
  /// A cache whose index covers the events of all tables that share this one.
  @usableFromInline let extended = AtomicLazyReference<KeyIndexCache>()
  /// A cache whose groups do.
  @usableFromInline let extendedGroups = AtomicLazyReference<KeyIndexCache>()
  /// The rows that stand behind another with the same key.
  @usableFromInline let shadows = AtomicLazyReference<ShadowList>()

  @usableFromInline
  package init(_ index: KeyIndex, groups: GroupIndex? = nil) {
    self.index = .allocate(capacity: 1)
    self.index.initialize(to: index)
    self.groups = groups
  }

  deinit {
    index.deinitialize(count: 1)
    index.deallocate()
  }

  /// Whether something was derived that tables sharing this cache may be using.
  @inlinable
  var hasPublished: Bool { isPublished.load(ordering: .acquiring) }

  /// The cache whose index covers all events, once there is one.
  @usableFromInline
  var publishedExtension: KeyIndexCache? { extended.load() }

  @usableFromInline
  func publish(extension cache: KeyIndexCache) -> KeyIndexCache {
    isPublished.store(true, ordering: .releasing)
    return extended.storeIfNil(cache)
  }

  /// The cache whose groups cover all events, once there is one.
  @usableFromInline
  var publishedGroups: KeyIndexCache? { extendedGroups.load() }

  @usableFromInline
  func publish(groups cache: KeyIndexCache) -> KeyIndexCache {
    isPublished.store(true, ordering: .releasing)
    return extendedGroups.storeIfNil(cache)
  }

  @usableFromInline
  var publishedShadows: ShadowList? { shadows.load() }

  @usableFromInline
  func publish(shadows list: ShadowList) -> ShadowList {
    isPublished.store(true, ordering: .releasing)
    return shadows.storeIfNil(list)
  }

  /// A cache to change, which begins with the most that was derived.
  @usableFromInline
  func successor() -> KeyIndexCache {
    KeyIndexCache(
      (publishedExtension ?? self).index.pointee,
      groups: publishedGroups?.groups ?? groups
    )
  }
}

/// The dots of rows that stand behind another row with the same key, in order.
@usableFromInline
package final class ShadowList: Sendable {
  @usableFromInline let dots: ContiguousArray<Dot>

  @inlinable
  init(_ dots: ContiguousArray<Dot>) {
    self.dots = dots
  }
}
