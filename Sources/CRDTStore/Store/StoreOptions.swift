public import CRDTKit

extension Store {
  /// How a store is opened.
  public struct Options: Sendable {
    /// Whether a store may be written.
    public enum Access: Hashable, Sendable {
      /// The store reads and writes; nobody else can open it.
      case readWrite
      /// The store only reads, possibly with other readers. Nothing in its folder changes.
      case readOnly
    }

    /// When the store writes snapshots.
    public enum Compaction: Hashable, Sendable {
      /// When the changes since the last snapshot take as much space as the snapshot.
      case automatic
      /// When you call ``Store/compact()``.
      case manual
    }

    /// Whether the store may write.
    public var access = Access.readWrite
    /// Whether a read-only store can be read while another process writes it, as a widget
    /// reads its app's store.
    ///
    /// The store then shows one moment, and doesn't change: open it again to see later
    /// commits. The last commits it shows may not be durable yet. Its files belong to the
    /// other process, so checking and backing up throw ``StoreError/locked(path:)``.
    public var readsBesideWriter = false
    /// Whether to create a store if there is none.
    public var createsIfMissing = true
    /// When the store writes snapshots.
    public var compaction = Compaction.automatic
    /// The minimum number of bytes of changes before the store writes a snapshot.
    public var minimumCompactionBytes = 1 << 20
    /// The size at which the store begins a new segment: 2³⁰ bytes at most.
    public var segmentBytes = 1 << 23
    /// The size of all files at which the store sends an event to ``onEvent``; `nil` for
    /// none.
    public var softLimitBytes: Int?
    /// The size of the newest snapshot and the log since then at which the store refuses
    /// commits; `nil` for none.
    ///
    /// Commits that only remove are still accepted. The last commit before the limit may
    /// exceed it by its own size. All files together take up to about twice as much, because
    /// the store keeps the previous generation.
    public var hardLimitBytes: Int?
    /// The number of bytes that must stay free on the disk, besides those of a new snapshot.
    public var minimumFreeBytes = 1 << 20
    /// How long deleted records can be restored: 30 days.
    ///
    /// A compaction purges older deletions, if all peers know of them.
    public var deletionRetention: Duration = .seconds(30 * 86_400)
    /// The maximum number of bytes of segments that the store keeps only for peers that are
    /// behind.
    public var maximumPeerHistoryBytes = 1 << 26
    /// How long the store waits for a silent peer.
    ///
    /// For that time it keeps the changes that the peer lacks, and doesn't purge deletions
    /// that the peer hasn't seen. A peer's greeting counts as a sign of life, even if nothing
    /// else comes of the stream. But a greeting doesn't answer anything that this side has
    /// sent, so somebody can send an old one again. Somebody who can do that, also on a
    /// ``SealedLink``, can make the store wait for a peer that is gone, until you call
    /// ``Store/forget(peer:)`` and no more such greetings come. Nothing is lost by that.
    public var peerRetention: Duration = .seconds(30 * 86_400)
    /// How far ahead of the local clock a peer's stamp may be.
    ///
    /// Beyond the same limit, the store warns about its own clock as well: see
    /// ``Store/ClockWarning``.
    public var maximumClockDrift: Duration = .seconds(300)
    /// How long the store may stay closed before it suspects the clock when it opens: half a
    /// year.
    ///
    /// A clock that jumped while the store was closed looks like a store that nobody used. So
    /// the store reports only a longer time, as ``Store/Event/clockJumped(by:)``.
    public var maximumAbsence: Duration = .seconds(183 * 86_400)
    /// The version of the app's schema: see ``migrate``.
    ///
    /// With 0 there are no migrations, and stores of any version are opened.
    public var schemaVersion: UInt64 = 0
    /// Migrates records to ``schemaVersion``.
    ///
    /// The store passes the version that the records are at, if it is lower. It calls this at
    /// most once in its life for each version.
    public var migrate: @Sendable (_ from: UInt64, inout Document.Editor) throws -> Void = { _, _ in
    }
    /// Receives the store's events, one after another in the order in which they happened.
    ///
    /// The store calls it on a thread of its own.
    public var onEvent: @Sendable (Store.Event) -> Void = { _ in }
    /// The clock that stamps are made from.
    public var clock: any WallClock = SystemClock()
    /// Measures how long the store has been open, so that it notices jumps of ``clock``.
    ///
    /// With `nil`, the store uses the machine's monotonic clock if ``clock`` is the
    /// machine's, and otherwise none.
    public var monotonicClock: (any MonotonicClock)?
    /// Receives messages that somebody should look at, such as that the clock has jumped.
    public var logger: any Logger = NoLogger()
    /// Seals and opens everything that the store writes of the document and for itself; `nil`
    /// if nothing is sealed.
    ///
    /// With a sealing, the store accepts no unsealed file: see ``adoptsUnsealedFiles``. A
    /// sealed store opens only with the same key: see ``StoreError/sealed(path:)`` and
    /// ``StoreError/wrongKey(path:)``. To exchange the key, see ``RotatingSealing``.
    public var sealing: (any Sealing)?
    /// Whether a store that was written without a sealing is adopted and sealed.
    ///
    /// The store seals all of its files before it opens, and sets
    /// ``RecoveryReport/wasUnsealed``. Set this for stores of earlier versions of an app.
    /// With it, somebody who can write in the folder can replace the app's store by another
    /// one. Unsealed files *beside* sealed ones are refused in any case.
    public var adoptsUnsealedFiles = false
    /// The file system that the store's files are in.
    public var fileSystem: any FileSystem = DiskFileSystem()
    /// The document that the store has a copy of, if the app knows it, for example from the
    /// user's account with `DocumentID(named:)`.
    ///
    /// With `nil`, a new store makes an identifier of its own at its first event. If it meets
    /// another store or relay before that, it takes theirs. Two stores that were both written
    /// before they first met are two documents and don't sync, unless you open both with the
    /// same identifier here, or join them: see ``Store/join(document:)``. A store that has
    /// another document refuses to open with
    /// ``StoreError/otherDocument(path:found:expected:)``.
    public var documentID: DocumentID?
    /// Makes the replica identifiers that the store needs, a different one for each call.
    public var makeReplica: @Sendable () -> ReplicaID = { ReplicaID.random() }

    /// The authority that stands for the outbox's server in rules: with
    /// `.preferring([server])`, the server wins.
    public var authority = ReplicaID.authority(named: "server")
    /// The settings of the outbox.
    public var outbox = Outbox.Settings()

    /// Whether the store may start threads: to write relaxed commits and due snapshots, and
    /// to send events.
    ///
    /// A simulation has none. Relaxed commits then wait for a flush or the next full commit,
    /// there is no automatic compaction, and no events are sent.
    package var hasThreads = true

    /// The models that the store was opened for.
    var models = ModelRegistry()

    /// Makes the number of a new store, which is in the heads of all its files.
    package var makeStoreNumber: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

    /// Makes the number of a line of history: see ``SealedPlace``.
    package var makeLine: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

    /// Makes the identifier of a new store's document if ``documentID`` is `nil`; returns
    /// `nil` to give it none.
    package var makeDocumentID: @Sendable () -> DocumentID? = { DocumentID.random() }

    /// The document of a newly created store.
    var newDocument: DocumentIdentity? {
      if let documentID { return DocumentIdentity(documentID) }
      return makeDocumentID().map { DocumentIdentity($0, isOpen: true) }
    }

    /// Makes the number of a stretch of events, which begins with the first event after the
    /// store was opened; returns `nil` to begin none.
    package var makeStretchNonce: @Sendable () -> UInt32? = {
      UInt32(truncatingIfNeeded: ReplicaID.random().rawValue)
    }

    /// Creates the standard options.
    public init() {}

    /// The standard options.
    public static var standard: Store.Options { Store.Options() }
  }

  /// What a commit waits for before it returns.
  public enum Durability: Hashable, Sendable {
    /// Waits until the commit survives a power cut, together with all commits before it,
    /// which it may have read.
    ///
    /// A call that commits nothing, or throws, waits for these too.
    case full
    /// Doesn't wait for the disk.
    ///
    /// The commit is on disk within about a tenth of a second, at the next full commit, or
    /// when the store is closed. A crash may lose the last relaxed commits. It never loses
    /// part of a commit, or a commit but not the ones after it. The call does wait behind a
    /// full commit that is waiting, and while much is waiting to be written. Its result may
    /// rest on relaxed commits, which readers see too and which a crash may lose. It never
    /// rests on a full commit that isn't durable.
    case relaxed
  }

  /// How much space a store and its blobs may take together.
  public struct StorageLimits: Hashable, Sendable {
    /// The size from which you should offer the user a clean-up.
    public var softBytes: Int
    /// The size from which you should keep nothing more that you can fetch again.
    public var hardBytes: Int

    /// Creates limits: 500 MB and 1 GB by default.
    public init(softBytes: Int = 500_000_000, hardBytes: Int = 1_000_000_000) {
      self.softBytes = softBytes
      self.hardBytes = hardBytes
    }
  }
}

extension DocumentID {
  /// Creates the identifier for a name, such as that of a user's account: the same name
  /// gives the same identifier everywhere.
  ///
  ///     var options = Store.Options()
  ///     options.documentID = DocumentID(named: "account-42")
  ///
  /// So stores that were all written before they first met are copies of one document. Use
  /// a name that no other document has. Names with different bytes give different
  /// identifiers, even if they look alike. The identifier is the first half of the SHA-256
  /// digest of the bytes `document`, a zero byte, and the name in UTF-8.
  ///
  /// - Complexity: O(length of the name).
  public init(named name: String) {
    let bytes = Array("document".utf8) + [0] + Array(name.utf8)
    let digest = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(high: digest.first, low: digest.second)
  }
}
