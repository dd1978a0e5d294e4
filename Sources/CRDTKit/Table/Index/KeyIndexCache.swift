public import Synchronization

/// The indexes derived from a table's rows; made on first use, and shared by copies of
/// the table.
///
/// Several threads may read at once. So an index derived by a reader is published once
/// and never changed. Only a table with the sole reference to a cache that has published
/// nothing changes its indexes in place. That makes the class safe to send.
@usableFromInline
package final class KeyIndexCache: @unchecked Sendable {
  /// The index, which is allocated and freed with the cache.
  ///
  /// Access through a pointer avoids the check for overlapping accesses.
  @usableFromInline package let index: UnsafeMutablePointer<KeyIndex>
  /// The rows under each prefix of nested keys, made on first use.
  @usableFromInline var groups: GroupIndex?

  @usableFromInline let isPublished = Atomic(false)
  /// A cache whose index covers the events of all tables that share this cache.
  @usableFromInline let extended = PublishedReference<KeyIndexCache>()
  /// A cache whose groups cover the events of all tables that share this cache.
  @usableFromInline let extendedGroups = PublishedReference<KeyIndexCache>()
  /// The rows that follow another row with the same key.
  @usableFromInline let shadows = PublishedReference<DuplicateKeyDots>()

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

  /// Whether an index was published that tables sharing this cache may use.
  @inlinable
  var hasPublished: Bool { isPublished.load(ordering: .acquiring) }

  /// The published cache whose index covers all events, if there is one.
  @inlinable
  var publishedExtension: KeyIndexCache? { extended.load() }

  @usableFromInline
  func publish(extension cache: KeyIndexCache) -> KeyIndexCache {
    isPublished.store(true, ordering: .releasing)
    return extended.storeIfNil(cache)
  }

  /// The published cache whose groups cover all events, if there is one.
  @inlinable
  var publishedGroups: KeyIndexCache? { extendedGroups.load() }

  @usableFromInline
  func publish(groups cache: KeyIndexCache) -> KeyIndexCache {
    isPublished.store(true, ordering: .releasing)
    return extendedGroups.storeIfNil(cache)
  }

  @inlinable
  var publishedShadows: DuplicateKeyDots? { shadows.load() }

  @usableFromInline
  func publish(shadows list: DuplicateKeyDots) -> DuplicateKeyDots {
    isPublished.store(true, ordering: .releasing)
    return shadows.storeIfNil(list)
  }

  /// Returns an unshared cache that begins with the most complete indexes.
  @usableFromInline
  func successor() -> KeyIndexCache {
    KeyIndexCache(
      (publishedExtension ?? self).index.pointee,
      groups: publishedGroups?.groups ?? groups
    )
  }
}

/// The dots of rows that follow another row with the same key, in order.
@usableFromInline
package final class DuplicateKeyDots: Sendable {
  @usableFromInline let dots: ContiguousArray<Dot>

  @inlinable
  init(_ dots: ContiguousArray<Dot>) {
    self.dots = dots
  }
}

/// A reference that is set once, and that readers load without waiting.
///
/// The standard library's `AtomicLazyReference` looks up its type at run time in each
/// load, which takes longer than a look-up in the index.
@frozen
@usableFromInline
struct PublishedReference<Object: AnyObject & Sendable>: ~Copyable {
  /// The address of the object, which this holds; 0 for none.
  @usableFromInline let address = Atomic<UInt>(0)

  @inlinable
  init() {}

  @inlinable
  deinit {
    Self.reference(at: address.load(ordering: .acquiring))?.release()
  }

  @inlinable
  static func reference(at address: UInt) -> Unmanaged<Object>? {
    UnsafeRawPointer(bitPattern: address).map { Unmanaged.fromOpaque($0) }
  }

  /// The object, if it was set.
  @inlinable
  func load() -> Object? {
    Self.reference(at: address.load(ordering: .acquiring))?.takeUnretainedValue()
  }

  /// Sets the object unless there is one; returns the one that is set then.
  @usableFromInline
  func storeIfNil(_ object: Object) -> Object {
    let mine = Unmanaged.passRetained(object)
    let (isMine, first) = address.compareExchange(
      expected: 0, desired: UInt(bitPattern: mine.toOpaque()), ordering: .acquiringAndReleasing)
    guard !isMine, let others = Self.reference(at: first) else { return object }
    mine.release()
    return others.takeUnretainedValue()
  }
}
