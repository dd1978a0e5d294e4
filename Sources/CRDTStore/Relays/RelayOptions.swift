import CRDTKit

/// How a store uses a relay's folder.
public struct RelayOptions: Sendable {
  /// How many files of its own a store lets stand before it makes one of them.
  ///
  /// Files that are as large as all later ones together are left out, so that a
  /// change is written again only as often as the folder's contents have doubled.
  public var filesMergedMin = 8
  /// How many bytes a file has at most, to be written or taken.
  public var fileBytesMax = 1 << 30
  /// How much memory may be taken by what one replica's files bring in a round, with the bytes
  /// of the one that is being read.
  ///
  /// It is counted as a file is read, and what would exceed it is refused before it is
  /// there, as a finding about that file.
  public var fileMemoryBytesMax = 1 << 30
  /// How long a store keeps a file of its own that another one makes needless, where
  /// not all replicas have said that they know of the other one.
  public var gracePeriod: Duration = .seconds(86_400)
  /// After how long a store says again that it is there, if it has nothing else to say.
  ///
  /// It should be well below ``StoreOptions/peerRetention``, after which others don't
  /// wait for a replica any more.
  public var heartbeat: Duration = .seconds(86_400)
  /// Seals what is written in the folder, and opens it, with a key that all who use the
  /// folder have; `nil` where nothing is sealed.
  ///
  /// Files that aren't sealed are not taken then: they may be anybody's.
  public var sealing: (any Sealing)?
  /// Whether a store without a ``sealing`` begins to write in a folder in which a replica has
  /// nothing but sealed files.
  ///
  /// Else, if none of its own files is there, it takes in what it can open, writes nothing, and says
  /// so with ``StoreError/sealed(path:)``: others may seal what it would publish for all to read. Set
  /// it where that file is somebody's who shouldn't have put it there, or remove the file.
  public var publishesBesideSealed = false
  /// How many replicas a version may name.
  public var replicasMax = SyncLimits.standard.replicasMax

  /// Creates the options that are usual.
  public init() {}

  /// The options that are usual.
  public static var standard: RelayOptions { RelayOptions() }
}
