import CRDTKit

/// One entry of a store's log.
enum SegmentRecord: Sendable {
  /// The document changed: by a commit here, or by a delta from elsewhere, which may bring
  /// what mended forks of some replicas.
  case change(TableDelta<Document>, mending: ContiguousArray<ReplicaID> = [])
  /// From here on, changes made here are another replica's, and this is the folder's
  /// identity.
  case replica(ReplicaID, home: UInt64)
  /// From here on, these are the peers and what they have.
  case peers([PeerRecord])
  /// From here on, this is what a peer has.
  case peer(PeerRecord)
  /// From here on, a peer isn't waited for.
  case forgottenPeer(ReplicaID)
  /// The records are now as this version of the app's schema wants them.
  case schemaVersion(UInt64)
  /// The store was closed in good order.
  case end
  /// Values changed that the store keeps for itself.
  case local([LocalChange])
  /// From here on, this is the document that the store has a copy of.
  case document(DocumentIdentity?)
  /// From here on, what is sealed is of this line of history, which goes on from another.
  case line(UInt64, after: UInt64)

  /// The codes that begin the kinds of records.
  enum Code: UInt8 {
    case change = 1
    case replica
    case peers
    case schemaVersion
    case end
    case local
    /// A change in the bytes in which it came.
    case received
    case document
    /// A change that mended forks.
    case mended
    case peer
    case forgottenPeer
    case line
  }
}
