import CRDTKit
import Toolkit

/// A node of a ``World`` that holds a replicated value.
protocol ReplicaNode: WorldNode {
  associatedtype Value: WorldValue

  var value: Value { get }
  /// The identifier that it writes under now.
  var replica: ReplicaID { get }
  /// How often it restarted from an older copy.
  var restores: Int { get }
  /// The edits that became durable since the log was last cleared.
  var log: [RecordedEdit] { get set }
  /// The counts of received deltas.
  var tally: DeltaTally { get }
  /// The state that a crash now would leave.
  var durableVersion: VersionVector { get }
  /// Whether it has edits that a crash may take, and that nobody else may know of.
  var hasPendingEdits: Bool { get }
  /// The counts for its disk, if it has one.
  var diskTally: DiskTally { get }
  /// What it was told that a neighbour has; `nil` where nobody tells.
  func promise(of neighbour: Int) -> VersionVector?
  /// The edits that it has seen, where names may be used in two places: all of them, or
  /// of sessions those alone that were made in its own past.
  var shadow: Shadow { get }
  /// Whether its shadow has all that it has seen.
  static var seesAll: Bool { get }
  /// The violated invariants.
  var failures: [String] { get set }
}

extension ReplicaNode {
  var durableVersion: VersionVector { value.version }

  var hasPendingEdits: Bool { false }

  var diskTally: DiskTally { DiskTally() }

  var shadow: Shadow { Shadow() }

  static var seesAll: Bool { false }

  func promise(of neighbour: Int) -> VersionVector? { nil }

  var traceDigest: String? { value.digest.hexadecimal }

  var traceValue: String? { value.summary }

  var writtenText: WrittenText? { value.writtenText }

  var author: ReplicaID? { replica }
}

/// The common settings of the replicas of a world.
struct NodeSettings: Equatable, Sendable {
  /// How many keys are changed.
  var keys = 16
  /// The most bytes of a stream that travel as one message; 0 for no bound.
  var pieceMax = 0
  var limits = SyncLimits.standard
  /// How many ticks a peer that owes an answer may be silent.
  var patience = 8
  /// The chance that a replica dies halfway through what a session asks for.
  var death = 0.0
  /// The chance that a stream stands still for some ticks when something comes by it.
  var stall = 0.0
  /// Whether replicas ever go down, so that what is durable must be kept.
  var isMortal = false
  /// Whether one name may come to be used in two places, so that replicas begin stretches
  /// and mend.
  var hasForks = false
  /// Whether single edits are made under clocks that are far ahead.
  var hasAhead = false
  /// The chance that a replica reads its value back from bytes before it does something.
  var decoding = 0.0
  /// How many deltas that came over a gap may wait.
  var inboxMax = 64
  /// Microseconds in which an answer comes, if it comes.
  var answerTime: UInt64 = 10_000
  var disks = DiskSettings()
  var sabotage = WorldFault.none

  /// After how many ticks each a replica is backed up.
  var backupTicks: Int { hasForks ? 2 : 5 }
}

extension SyncLimits {
  /// Limits under which even small values take several frames and windows.
  static let small = SyncLimits(
    maximumFrameBytes: 64, windowBytes: 96, maximumTransferBytes: 1 << 20, maximumReplicas: 4_000)
}
