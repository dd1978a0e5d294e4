import CRDTKit
import Toolkit

/// The settings of a replica at its start.
struct ReplicaSettings: Equatable {
  /// Its place among the replicas, from 0.
  var index: Int
  /// How many replicas there are.
  var replicas: Int
  var neighbours: [Int]
  var seed: UInt64
  /// How long it waits for its coordinator.
  var patienceMilliseconds: Int
  var sabotage: FaultInjection?
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
    sabotage = try String?(from: &reader).flatMap(FaultInjection.init)
    store = try Bool(from: &reader) ? try StoreSettings(from: &reader) : nil
    tellsState = try Bool(from: &reader)
    marksLedger = try Bool(from: &reader)
    task = try ReplicaTask(from: &reader)
    silenceMax = try Int(from: &reader)
  }
}

/// The settings of a replica's store at its start.
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
  func account(of replica: ReplicaID, holding version: VersionVector) throws(CommandFailure)
    -> ReplicaAccount
  {
    guard version[replica] > acknowledged.version[replica] else { return acknowledged.account }
    guard let intended else { throw CommandFailure("its store holds changes that it never began") }
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

/// What a replica's operations are.
struct ReplicaTask: Equatable {
  var workload = Workload.mixed
  /// How many keys are changed, but in mixed operations.
  var keys = 64
  /// The changes of a history that are the replica's to make, in place of drawn ones.
  var script: [HistoryEdit]?
}

extension ReplicaTask {
  func encode(to writer: inout ByteWriter) {
    workload.rawValue.encode(to: &writer)
    keys.encode(to: &writer)
    (script != nil).encode(to: &writer)
    (script ?? []).map { $0.key << 1 | ($0.isRemoval ? 1 : 0) }.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let workload = Workload(rawValue: try String(from: &reader))
    keys = try Int(from: &reader)
    guard let workload, keys > 0 else {
      throw DecodingFailure(.outOfBounds("what a replica is to do"), at: start)
    }
    self.workload = workload
    let isScripted = try Bool(from: &reader)
    let numbers = try [Int](from: &reader)
    guard isScripted else { return }
    script = numbers.map { HistoryEdit(key: $0 >> 1, isRemoval: $0 & 1 == 1) }
  }
}
