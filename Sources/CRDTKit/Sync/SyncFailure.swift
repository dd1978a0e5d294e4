/// The reason why a ``PeerSession`` can't continue with its stream.
///
/// The value stays intact: applied deltas remain, and nothing of a refused delta was
/// applied.
@nonexhaustive
public enum SyncFailure: Error, Hashable, Sendable {
  /// A frame was damaged, lost, repeated or reordered on the way.
  ///
  /// Connect again: the exchange continues from the same point.
  case damaged

  /// The stream does not start with this protocol's header.
  case notAPeer

  /// The two sides have no version of the protocol in common.
  case noCommonVersion(ours: ClosedRange<UInt8>, theirs: ClosedRange<UInt8>)

  /// The peer uses another version of the binary format.
  case unsupportedFormat(UInt8)

  /// The peer has a value of another type.
  case typeMismatch(found: [UInt8], expected: [UInt8])

  /// Two copies have written as one replica, and the fork can't be mended on this stream.
  ///
  /// The peer has an earlier version of the protocol, or it invents forks. Connect again:
  /// a peer of this version is mended then. Update a peer of an earlier version.
  case fork(ReplicaID)

  /// A version names more replicas than ``SyncLimits/maximumReplicas``.
  case tooManyReplicas(Int, max: Int)

  /// A transfer is longer than ``SyncLimits/maximumTransferBytes``.
  case transferTooLarge(bytes: UInt64, max: Int)

  /// The peer's data arrived intact, but can't be decoded.
  case malformed(DecodingFailure)

  /// The peer's delta depends on events that are missing here, although the peer was told
  /// twice which events are here.
  case gap(missing: VersionVector)

  /// The app rejected the peer's delta, for the given reason.
  case refused(String)

  /// The peer violated the protocol.
  case violation(String)

  /// The peer has a copy of another document: the two were created independently.
  ///
  /// Nothing was applied. If the documents belong together, join them explicitly: for
  /// values in stores, with `Store.join(document:)`.
  case differentDocument(found: DocumentID, own: DocumentID)

  /// The peer ended the exchange, for the given reason.
  case endedByPeer(Kind)

  /// Both sides have the same version but different contents: their
  /// ``TableBacked/contentDigest`` differ.
  ///
  /// Two copies have written as one replica, or a replica has sent different events to
  /// different peers, and no fingerprint revealed it. The session mends this like a fork,
  /// once on each stream. This error means that it did not help, for example because the
  /// peer changed meanwhile or lies. Connect again.
  case differentContents
}

extension SyncFailure {
  /// The kind of a failure, without the details, as one side reports it to the other.
  @nonexhaustive
  public enum Kind: UInt8, Hashable, Sendable {
    /// A reason that this version of the package does not know.
    case unknown = 0
    /// ``SyncFailure/damaged``
    case damaged = 1
    /// ``SyncFailure/notAPeer``
    case notAPeer = 2
    /// ``SyncFailure/noCommonVersion(ours:theirs:)``
    case noCommonVersion = 3
    /// ``SyncFailure/unsupportedFormat(_:)``
    case unsupportedFormat = 4
    /// ``SyncFailure/typeMismatch(found:expected:)``
    case typeMismatch = 5
    /// Both sides write as the same replica; only peers of earlier versions report this.
    case sameReplica = 6
    /// ``SyncFailure/fork(_:)``
    case fork = 7
    /// ``SyncFailure/tooManyReplicas(_:max:)``
    case tooManyReplicas = 8
    /// ``SyncFailure/transferTooLarge(bytes:max:)``
    case transferTooLarge = 9
    /// ``SyncFailure/malformed(_:)``
    case malformed = 10
    /// ``SyncFailure/gap(missing:)``
    case gap = 11
    /// ``SyncFailure/refused(_:)``
    case refused = 12
    /// ``SyncFailure/violation(_:)``
    case violation = 13
    /// ``SyncFailure/endedByPeer(_:)``
    case endedByPeer = 14
    /// ``SyncFailure/differentContents``
    case differentContents = 15
    /// ``SyncFailure/differentDocument(found:own:)``
    case differentDocument = 16
  }

  /// The failure's kind, without the details.
  public var kind: Kind {
    switch self {
    case .damaged: .damaged
    case .notAPeer: .notAPeer
    case .noCommonVersion: .noCommonVersion
    case .unsupportedFormat: .unsupportedFormat
    case .typeMismatch: .typeMismatch
    case .fork: .fork
    case .tooManyReplicas: .tooManyReplicas
    case .transferTooLarge: .transferTooLarge
    case .malformed: .malformed
    case .gap: .gap
    case .refused: .refused
    case .violation: .violation
    case .differentDocument: .differentDocument
    case .endedByPeer: .endedByPeer
    case .differentContents: .differentContents
    }
  }

  /// Creates the failure for a delta of the peer that could not be applied.
  @inlinable
  init(_ error: DeltaError) {
    switch error {
    case .gap(let missing): self = .gap(missing: missing)
    case .fork(let replica): self = .fork(replica)
    case .malformed(let failure): self = .malformed(failure)
    }
  }

  /// Runs `body`, and rethrows a decoding failure as ``malformed(_:)``.
  @inlinable
  static func wrap<Value>(
    _ decode: () throws(DecodingFailure) -> Value
  ) throws(SyncFailure) -> Value {
    do { return try decode() } catch { throw .malformed(error) }
  }
}

extension SyncFailure: CustomStringConvertible {
  /// A sentence that states the problem and what to do.
  public var description: String {
    switch self {
    case .damaged: "bytes were damaged or lost on the way; connect again to go on"
    case .notAPeer:
      "the other side does not speak CRDTKit's sync protocol; check what the stream leads to"
    case .noCommonVersion(let ours, let theirs):
      "this side speaks versions \(Self.words(ours)) of the sync protocol, the peer"
        + " \(Self.words(theirs)); update the older of the two"
    case .unsupportedFormat(let version):
      "the peer writes binary format version \(version), this side version"
        + " \(BinaryFormat.version); update the older of the two"
    case .typeMismatch(let found, let expected):
      "the peer has a value of the type \(TypeName.describe(found)), and this side one of"
        + " \(TypeName.describe(expected)); connect copies of one value"
    case .fork(let replica):
      "two places have written as replica \(replica), and that can't be mended on this stream;"
        + " connect again, and if that doesn't mend it, update the older side"
    case .tooManyReplicas(let count, let max):
      "a version names \(count) replicas, and \(max) are allowed; raise the limit if the peer is"
        + " trusted"
    case .transferTooLarge(let bytes, let max):
      "the peer has \(bytes) bytes to send, and \(max) are allowed; raise the limit, or copy the"
        + " whole value once by other means"
    case .malformed(let failure):
      "what the peer sent can't be read: \(failure); update the older of the two sides"
    case .gap(let missing):
      "what the peer sends builds on events that were not seen here: \(missing.excerpt); copy the peer's"
        + " whole value, or sync with another peer first"
    case .refused(let reason): "what the peer sent was not accepted: \(reason.visible)"
    case .violation(let what):
      "the peer broke the sync protocol by \(what.visible); update it, or don't trust it"
    case .differentDocument(let found, let own):
      "the peer has a copy of document \(found), and this side one of document \(own), so nothing"
        + " was taken in; connect copies of one document, or join the two if they belong together"
    case .endedByPeer(let kind): "the peer ended the exchange: \(kind)"
    case .differentContents:
      "both sides have seen the same events and hold different contents; connect again, and if"
        + " that doesn't mend it, let one of them go on with the other's whole value"
    }
  }

  private static func words(_ versions: ClosedRange<UInt8>) -> String {
    "\(versions.lowerBound) to \(versions.upperBound)"
  }
}

extension SyncFailure.Kind: CustomStringConvertible {
  /// The finding of the side that reports this reason.
  public var description: String {
    switch self {
    case .unknown: "for a reason that this version of CRDTKit does not know"
    case .damaged: "bytes were damaged or lost on the way; connect again to go on"
    case .notAPeer: "it was not spoken to in CRDTKit's sync protocol"
    case .noCommonVersion: "there is no common version of the sync protocol"
    case .unsupportedFormat: "it can't read this side's binary format"
    case .typeMismatch: "it has a value of another type"
    case .sameReplica: "both sides write as the same replica; give one a new identifier"
    case .fork: "two places have written as one replica; one must take a new identifier"
    case .tooManyReplicas: "a version names more replicas than it allows"
    case .transferTooLarge: "there is more to send than it allows at once"
    case .malformed: "it could not read what it was sent"
    case .gap: "what it was sent builds on events that it has not seen"
    case .refused: "its app did not accept what it was sent"
    case .violation: "it found the protocol broken"
    case .differentDocument:
      "it has a copy of another document; connect copies of one, or join the two"
    case .endedByPeer: "it was told to"
    case .differentContents: "it has seen the same events and holds different contents"
    }
  }
}
