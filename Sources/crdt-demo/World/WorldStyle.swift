/// How the replicas of a ``World`` tell each other what is new.
enum WorldStyle: String, CaseIterable, Sendable {
  /// By peer sessions over streams of bytes.
  case session
  /// By groups of peers, over streams of bytes, too.
  case group
  /// By deltas, each for itself, that may be lost.
  case datagram
  /// By peer sessions, and each keeps its document in a store on a disk of its own.
  case store
  /// By the operations that apps queue for a server, at place 0, that knows nothing of
  /// replicas.
  case outbox

  /// Whether replicas have disks.
  var hasDisks: Bool { self == .store || self == .outbox }
}
