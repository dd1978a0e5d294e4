import CRDTKit
import Foundation
import Toolkit

/// A message from the coordinator to a replica.
enum Order: Equatable, FrameCodable {
  /// The first order: the replica's identity and settings.
  case start(ReplicaSettings)
  /// A round at a time of the replica's wall clock.
  ///
  /// Process the received bytes, make operations up to a total, and answer with the
  /// messages to send.
  case work(round: Int, milliseconds: UInt64, target: Int, [LinkMessage])
  /// The links have healed: process the received bytes, and answer with the messages to
  /// send.
  case heal([LinkMessage])
  /// Report the results; no further orders follow.
  case report
}

/// A message from a replica to its coordinator.
enum Reply: Equatable, FrameCodable {
  /// The answer to a round: the messages to send, and the number of operations made.
  case round(messages: [LinkMessage], operationsMade: Int)
  /// The replica's results.
  case report(ReplicaReport)
  /// An order was received and begins: sent only if processes are killed.
  case awake
  /// The state after the commit that begins now: sent only if processes are killed.
  case intends(ReplicaAccount)
  /// The durable state of the replica's store: sent only if processes are killed.
  case holds(ReplicaHoldings)
  /// The current state of the document, before the answer to a round: sent only on demand.
  case state(ReplicaState)
  /// An error; the replica ends.
  case trouble(String)
}

/// A message between the coordinator and a replica about the stream to one of the replica's
/// neighbours.
struct LinkMessage: Equatable, Codable {
  enum Content: Equatable {
    /// A new stream begins; only the coordinator sends this.
    case opened
    /// Bytes for the stream, or from it.
    case bytes([UInt8])
    /// The stream broke or was closed.
    case ended
  }

  /// The index of the replica at the other end.
  var peer: Int
  /// The number of the stream on its link, from 1.
  ///
  /// Bytes of an earlier stream are dropped.
  var connection: Int
  var content: Content
}

extension LinkMessage.Content: Codable {
  /// Writes bytes as one text, which takes far less time and room than numbers do.
  func encode(to encoder: any Encoder) throws {
    let data =
      switch self {
      case .opened: Data([0])
      case .bytes(let bytes): Data([1] + bytes)
      case .ended: Data([2])
      }
    try data.encode(to: encoder)
  }

  init(from decoder: any Decoder) throws {
    let data = try Data(from: decoder)
    switch data.first {
    case 0: self = .opened
    case 1: self = .bytes(Array(data.dropFirst()))
    case 2: self = .ended
    default:
      let context = DecodingError.Context(
        codingPath: decoder.codingPath, debugDescription: "the kind of a link's message")
      throw DecodingError.dataCorrupted(context)
    }
  }
}

/// The settings of a replica at its start.
struct ReplicaSettings: Equatable, Codable {
  /// Its place among the replicas, from 0.
  var index: Int
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
}

/// The settings of a replica's store at its start.
struct StoreSettings: Equatable, Codable {
  /// The store's folder.
  var path: String
  /// Whether the process may be killed, and so reports each commit.
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

/// What a replica's operations are.
struct ReplicaTask: Equatable, Codable {
  var workload = Workload.mixed
  /// How many keys are changed, but in mixed operations.
  var keys = 64
  /// The changes of a history that are the replica's to make, in place of drawn ones.
  var script: [HistoryEdit]?
}
