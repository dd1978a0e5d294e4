import CRDTKit

/// What a replica is told when it is started.
struct ReplicaSettings: Equatable {
  /// Its place among the replicas, from 0.
  var index: Int
  /// How many replicas there are.
  var replicas: Int
  var neighbours: [Int]
  var seed: UInt64
  /// How long it waits for its coordinator.
  var patienceMilliseconds: Int
  var sabotage: Sabotage?
  /// Where its document is kept, if it is.
  var store: StoreSettings?
  /// Whether it tells in each round what its document is.
  var tellsState = false
  /// Whether it notes what it has done to the ledger with each change.
  var marksLedger = false
  var task = ReplicaTask()
  /// How many times it speaks to a neighbour that owes an answer before it gives up the
  /// stream.
  var silenceMax = 8
}

extension ReplicaSettings {
  /// Whether the process may be killed.
  var isMortal: Bool { store?.isMortal ?? false }

  func encode(to writer: inout ByteWriter) {
    index.encode(to: &writer)
    replicas.encode(to: &writer)
    neighbours.encode(to: &writer)
    seed.encode(to: &writer)
    patienceMilliseconds.encode(to: &writer)
    (sabotage?.description).encode(to: &writer)
    (store != nil).encode(to: &writer)
    store?.encode(to: &writer)
    tellsState.encode(to: &writer)
    marksLedger.encode(to: &writer)
    task.encode(to: &writer)
    silenceMax.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    index = try Int(from: &reader)
    replicas = try Int(from: &reader)
    neighbours = try [Int](from: &reader)
    seed = try UInt64(from: &reader)
    patienceMilliseconds = try Int(from: &reader)
    sabotage = try String?(from: &reader).flatMap(Sabotage.init)
    store = try Bool(from: &reader) ? try StoreSettings(from: &reader) : nil
    tellsState = try Bool(from: &reader)
    marksLedger = try Bool(from: &reader)
    task = try ReplicaTask(from: &reader)
    silenceMax = try Int(from: &reader)
  }
}
