public import CRDTKit

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Whether a store may be written.
  public enum Access: Hashable, Sendable {
    /// It is written, by nobody else.
    case readWrite
    /// It is only read, with others if need be. Nothing in its folder changes.
    case readOnly
  }

  /// When snapshots are written.
  public enum Compaction: Hashable, Sendable {
    /// When the changes since the last snapshot take as much room as it does.
    case automatic
    /// When the app asks for it.
    case manual
  }

  /// Whether the store is written.
  public var access = Access.readWrite
  /// Whether a store that is only read is read even while another process writes it, as an
  /// app's store by its widget.
  ///
  /// It is then as it was at one moment, and stays so: open it again to see what was
  /// committed since. What was committed a moment ago may not be durable yet. Its files are
  /// the other process's: checking and backing up are refused as
  /// ``StoreError/locked(path:)``.
  public var readsBesideWriter = false
  /// Whether a store is created where there is none.
  public var createsIfMissing = true
  /// When snapshots are written.
  public var compaction = Compaction.automatic
  /// How many bytes of changes are worth a snapshot at least.
  public var compactionBytesMin = 1 << 20
  /// After how many bytes a new segment is begun: 2³⁰ at most.
  public var segmentBytes = 1 << 23
  /// The size of all files at which ``onEvent`` is told; `nil` for none.
  public var softLimitBytes: Int?
  /// The size of the newest snapshot and the log since at which commits are refused,
  /// but for those that only remove; `nil` for none.
  ///
  /// The last commit before it may go beyond by its own size. All files together take
  /// up to about twice as much, since the generation before is kept.
  public var hardLimitBytes: Int?
  /// How many bytes must be free on the disk besides those of a new snapshot.
  public var freeBytesMin = 1 << 20
  /// How long deleted records can be restored: 30 days.
  ///
  /// A compaction purges those that are older, if all peers know of the deletion.
  public var deletionRetention: Duration = .seconds(30 * 86_400)
  /// How many bytes of segments that the store itself needs no more are kept for
  /// peers that are behind.
  public var peerHistoryBytesMax = 1 << 26
  /// How long a peer that isn't heard of is waited for: what it lacks is kept for
  /// it, and deletions that it hasn't seen are not purged.
  ///
  /// A peer is heard of when it greets, though nothing else comes of the stream: its greeting is not
  /// an answer to this side's, and one of long ago may have been sent again. Who can do that, on a
  /// ``SealedLink`` too, can have a peer waited for that is gone, until ``Store/forget(peer:)`` is
  /// called and no more such greetings come. Nothing is lost by it.
  public var peerRetention: Duration = .seconds(30 * 86_400)
  /// How far ahead of the clock here a stamp from a peer may be.
  ///
  /// Beyond that, the store's own clock counts as odd as well: see ``ClockWarning``.
  public var clockDriftMaxMilliseconds: UInt64 = 300_000
  /// For how long the store may not be used without the clock counting as odd when it is
  /// opened: half a year.
  ///
  /// A clock that jumped while the store was closed can't be told from a store that
  /// nobody used: only what is longer is told, as ``StoreEvent/clockJumped(by:)``.
  public var absenceMax: Duration = .seconds(183 * 86_400)
  /// The version of the app's schema: see ``migrate``.
  ///
  /// With 0 there are no migrations, and stores of any version are opened.
  public var schemaVersion: UInt64 = 0
  /// Brings records to ``schemaVersion``, called at most once in each store's life
  /// for each version: given the version that they are at, when it is lower.
  public var migrate: @Sendable (_ from: UInt64, inout Document.Editor) throws -> Void = { _, _ in }
  /// Is told of what happens beside the app's calls, of one event after another in the order
  /// in which they happened, on a thread that isn't the app's.
  public var onEvent: @Sendable (StoreEvent) -> Void = { _ in }
  /// The clock.
  public var clock: any WallClock = SystemClock()
  /// Measures how long the store has been open, so that jumps of ``clock`` show; `nil`
  /// for that of the machine where ``clock`` is that of the machine, and else for none.
  public var monotonicClock: (any MonotonicClock)?
  /// Is told of what somebody should look at: as that the clock jumped.
  public var logger: any Logger = NoLogger()
  /// Seals all that is written of the document and of what the store keeps for itself,
  /// and opens it; `nil` where nothing is sealed.
  ///
  /// No file is taken then that isn't sealed: see ``adoptsUnsealedFiles``. A sealed store
  /// opens with the same key alone: see ``StoreError/sealed(path:)`` and
  /// ``StoreError/wrongKey(path:)``; for another one, see ``RotatingSealing``.
  public var sealing: (any Sealing)?
  /// Whether a store that was written without a sealing is taken over with one.
  ///
  /// It is sealed, all of it, before it is open, and ``RecoveryReport/wasUnsealed`` says so.
  /// Set it for stores of earlier versions of an app: with it, who can write in the folder
  /// can put a store of their own in the place of the app's. Nothing that isn't sealed is
  /// taken *beside* what is.
  public var adoptsUnsealedFiles = false
  /// The file system.
  public var fileSystem: any FileSystem = DiskFileSystem()
  /// The document that the store has a copy of, where the app can tell: as by the account
  /// that its user has, with `DocumentID(named:)`.
  ///
  /// With `nil` a new store has an identifier of its own from its first event on, and
  /// takes that of the first store or relay that it meets before. Two stores in which was
  /// written before they first met are two documents, and don't sync, unless they are
  /// opened with the same identifier here, or joined: see ``Store/join(document:)``.
  /// A store that has another document refuses to open with
  /// ``StoreError/otherDocument(path:found:expected:)``.
  public var documentID: DocumentID?
  /// Makes the replica identifiers that the store needs, another one each time.
  public var makeReplica: @Sendable () -> ReplicaID = { ReplicaID.random() }

  /// The authority that the server of an outbox is in rules: `.authority([server])` means
  /// that it wins.
  public var authority = ReplicaID.authority(named: "server")
  /// How the outbox sends.
  public var outbox = OutboxSettings()

  /// Whether the store may start threads: to write commits that nobody waits for and
  /// snapshots that are due, and to tell of events.
  ///
  /// In a simulation it has none. Relaxed commits then wait for a flush or the next full
  /// commit, nothing is compacted by itself, and no events are told.
  package var hasThreads = true

  /// The models that the store was opened for.
  var models = ModelRegistry()

  /// Makes the number of a new store, which all of its files have.
  package var makeStoreNumber: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

  /// Makes the number of a line of history: see ``SealedPlace``.
  package var makeLine: @Sendable () -> UInt64 = { ReplicaID.random().rawValue }

  /// Makes the identifier of a new store's document, where ``documentID`` says none; `nil`
  /// where it is to have none.
  package var makeDocumentID: @Sendable () -> DocumentID? = { DocumentID.random() }

  /// The document of a store that is created.
  var newDocument: DocumentIdentity? {
    if let documentID { return DocumentIdentity(documentID) }
    return makeDocumentID().map { DocumentIdentity($0, isOpen: true) }
  }

  /// Makes the number of a stretch of events, which begins with the first event after
  /// the store was opened; `nil` where none begins.
  package var makeStretchNonce: @Sendable () -> UInt32? = {
    UInt32(truncatingIfNeeded: ReplicaID.random().rawValue)
  }

  /// Creates the options that are usual.
  public init() {}

  /// The options that are usual.
  public static var standard: StoreOptions { StoreOptions() }
}

/// What a commit waits for before it returns.
public enum Durability: Hashable, Sendable {
  /// It waits until the commit survives a power cut, and all commits before it, which
  /// it may have read. So does a call that commits nothing, and one that throws.
  case full
  /// It doesn't wait: the commit is on disk within about a tenth of a second, at the
  /// next full commit, or when the store is closed. A crash may take the last
  /// relaxed commits, never one and not those after it. Behind a full commit that is
  /// waiting, and while much is waiting to be written, it waits as well. What it
  /// answers may rest on relaxed commits, which readers see too, and a crash may take
  /// these; never on a full one that isn't durable.
  case relaxed
}

/// How much room a store and its blobs may take together.
public struct StorageLimits: Hashable, Sendable {
  /// From how many bytes on the user should be offered a clean-up.
  public var softBytes: Int
  /// From how many bytes on nothing more should be kept that can be had again.
  public var hardBytes: Int

  /// Creates limits: 500 MB and 1 GB, unless said otherwise.
  public init(softBytes: Int = 500_000_000, hardBytes: Int = 1_000_000_000) {
    self.softBytes = softBytes
    self.hardBytes = hardBytes
  }
}

extension DocumentID {
  /// The identifier that a name stands for, such as that of a user's account: the same name
  /// gives the same one everywhere.
  ///
  ///     var options = StoreOptions()
  ///     options.documentID = DocumentID(named: "account-42")
  ///
  /// So stores that were all written before they first met are copies of one document. Use
  /// a name that nobody else's document has. Names with different bytes are different,
  /// however alike they read. The identifier is the first half of the digest SHA-256 of the
  /// bytes `document`, a zero byte, and the name's in UTF-8.
  ///
  /// - Complexity: O(length of the name).
  public init(named name: String) {
    let bytes = Array("document".utf8) + [0] + Array(name.utf8)
    let digest = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(high: digest.first, low: digest.second)
  }
}
