/// What a store is brought in sync with.
///
///     try await store.sync(with: .folder("/Volumes/Shared/notes"))
///     try await store.sync(with: .store(other))
public struct SyncTarget: Sendable {
  enum Kind: Sendable {
    case folder(String, RelayOptions)
    case store(StoreCore)
  }

  let kind: Kind
  /// Keeps the other store open meanwhile.
  private let owner: (any Sendable)?

  private init(_ kind: Kind, owner: (any Sendable)? = nil) {
    self.kind = kind
    self.owner = owner
  }

  /// A folder that others sync with as well: on this machine, on a shared disk, or
  /// copied from machine to machine by a tool that syncs folders.
  ///
  /// It is made where it isn't there, if the folder around it is. It must not be the
  /// folder of a store. The article *Relays* says what happens in it.
  public static func folder(_ path: String, options: RelayOptions = .standard) -> SyncTarget {
    SyncTarget(.folder(path, options))
  }

  /// Another store in this process.
  public static func store(_ other: Store) -> SyncTarget {
    SyncTarget(.store(other.core), owner: other)
  }

  /// Another store in this process.
  public static func store(_ other: BlockingStore) -> SyncTarget {
    SyncTarget(.store(other.core), owner: other)
  }
}

extension SyncTarget {
  /// What brings a store in sync with this, one round a call, and remembers what it
  /// has found out in rounds before.
  func partner(of core: StoreCore) -> @Sendable () throws(StoreError) -> SyncReport {
    switch kind {
    case .folder(let path, let options):
      let relay = RelayExchange(core: core, path: path, options: options)
      return { () throws(StoreError) in try relay.round() }
    case .store(let other):
      guard other !== core else {
        return { () throws(StoreError) in
          var report = SyncReport()
          report.isSynchronized = true
          return report
        }
      }
      let pair = StorePair(left: core, right: other)
      return { [self] () throws(StoreError) in
        defer { withExtendedLifetime(owner) {} }
        return try pair.round()
      }
    }
  }
}
