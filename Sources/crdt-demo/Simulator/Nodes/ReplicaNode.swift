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
}
