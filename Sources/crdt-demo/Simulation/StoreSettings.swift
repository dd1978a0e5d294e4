import CRDTKit

/// What a replica is told of its store when it is started.
struct StoreSettings: Equatable {
  /// The store's folder.
  var path: String
  /// Whether the process may be killed, and so tells of each commit.
  var isMortal = false
  /// How many processes the replica had before.
  var deaths = 0
  /// What the last of them told is durable.
  var acknowledged = ReplicaHoldings()
  /// What the replica has done if the commit was made that was begun last.
  var intended: ReplicaAccount?

  /// What the replica has done, given what is in its store.
  func account(of replica: ReplicaID, holding version: VersionVector) throws(Trouble)
    -> ReplicaAccount
  {
    guard version[replica] > acknowledged.version[replica] else { return acknowledged.account }
    guard let intended else { throw Trouble("its store holds changes that it never began") }
    return intended
  }
}

extension StoreSettings {
  func encode(to writer: inout ByteWriter) {
    path.encode(to: &writer)
    isMortal.encode(to: &writer)
    deaths.encode(to: &writer)
    acknowledged.encode(to: &writer)
    (intended != nil).encode(to: &writer)
    intended?.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    path = try String(from: &reader)
    isMortal = try Bool(from: &reader)
    deaths = try Int(from: &reader)
    acknowledged = try ReplicaHoldings(from: &reader)
    intended = try Bool(from: &reader) ? try ReplicaAccount(from: &reader) : nil
  }
}
