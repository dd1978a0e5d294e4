public import CRDTKit

/// What one round of syncing did.
public struct SyncReport: Hashable, Sendable {
  /// How many deltas were sent.
  public var deltasSent = 0
  /// How many bytes were sent.
  public var bytesSent = 0
  /// How many deltas were taken in.
  public var deltasTaken = 0
  /// How many bytes were taken in.
  public var bytesTaken = 0
  /// The events that deltas build on which are there, and that are nowhere to be had
  /// yet: those deltas wait.
  public var missing: VersionVector = [:]
  /// What was found and not taken in.
  public var findings: [RelayFinding] = []
  /// Why a peer and this side parted, if they did.
  public var failure: SyncFailure?
  /// Whether the store and the other side held the same in the end.
  public var isSynchronized = false

  /// Creates the report of a round that did nothing.
  public init() {}
}
