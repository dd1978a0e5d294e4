extension SyncFailure: CustomStringConvertible {
  /// A sentence that says what is wrong and what to do.
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
      "the peer has a value of another type (code \(found)) than this side (code \(expected));"
        + " connect copies of one value"
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
      "what the peer sends builds on events that were not seen here: \(missing); copy the peer's"
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
  /// What the side that gives this reason has found.
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
