import CRDTKit

/// What is durable in a replica's store: what it was told is there, and what it has
/// done itself.
struct ReplicaHoldings: Equatable {
  var account = ReplicaAccount()
  /// The events that the store has taken in, of all replicas.
  var version: VersionVector = [:]

  /// How many of these events another version lacks.
  func eventsMissing(in other: VersionVector) -> Int {
    version.reduce(0) { count, entry in
      let held = other[entry.replica]
      return held < entry.counter ? count + Int(clamping: entry.counter - held) : count
    }
  }
}

extension ReplicaHoldings {
  func encode(to writer: inout ByteWriter) {
    account.encode(to: &writer)
    version.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    account = try ReplicaAccount(from: &reader)
    version = try VersionVector(from: &reader)
  }
}
