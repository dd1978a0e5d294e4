import CRDTKit

/// A message from the coordinator to a replica.
enum Order: Equatable {
  /// The first order: who it is and what it does.
  case start(ReplicaSettings)
  /// It is so late by the replica's wall clock: take in what has come, make operations
  /// until there are so many, and answer with what to send.
  case work(round: Int, milliseconds: UInt64, target: Int, [LinkMessage])
  /// The links have healed: take in what has come, and answer with what to send.
  case heal([LinkMessage])
  /// Say how it went; there are no further orders.
  case report
}

extension Order: FrameCodable {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .start(let settings):
      writer.write(0)
      settings.encode(to: &writer)
    case .work(let round, let milliseconds, let target, let messages):
      writer.write(1)
      round.encode(to: &writer)
      milliseconds.encode(to: &writer)
      target.encode(to: &writer)
      messages.encode(to: &writer)
    case .heal(let messages):
      writer.write(2)
      messages.encode(to: &writer)
    case .report:
      writer.write(3)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .start(try ReplicaSettings(from: &reader))
    case 1:
      self = .work(
        round: try Int(from: &reader), milliseconds: try UInt64(from: &reader),
        target: try Int(from: &reader), try [LinkMessage](from: &reader))
    case 2: self = .heal(try [LinkMessage](from: &reader))
    case 3: self = .report
    default: throw DecodingFailure(.outOfBounds("the kind of an order"), at: start)
    }
  }
}

/// A message from a replica to its coordinator.
enum Reply: Equatable {
  /// The answer to a round: what to send, and how many operations are made.
  case round(messages: [LinkMessage], operationsMade: Int)
  /// How it went.
  case report(ReplicaReport)
  /// An order has come and is begun with: said only where processes are killed.
  case awake
  /// What the replica will have done when the commit that it begins is made: said
  /// only where processes are killed.
  case intends(ReplicaAccount)
  /// What is durable in the replica's store: said only where processes are killed.
  case holds(ReplicaHoldings)
  /// What the document is by now: said before the answer to a round, only where
  /// somebody wants to know.
  case state(ReplicaState)
  /// What went wrong; the replica ends.
  case trouble(String)
}

extension Reply: FrameCodable {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .round(let messages, let operationsMade):
      writer.write(0)
      messages.encode(to: &writer)
      operationsMade.encode(to: &writer)
    case .report(let report):
      writer.write(1)
      report.encode(to: &writer)
    case .trouble(let text):
      writer.write(2)
      text.encode(to: &writer)
    case .awake:
      writer.write(3)
    case .intends(let account):
      writer.write(4)
      account.encode(to: &writer)
    case .holds(let holdings):
      writer.write(5)
      holdings.encode(to: &writer)
    case .state(let state):
      writer.write(6)
      state.digest.encode(to: &writer)
      state.value.encode(to: &writer)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0:
      self = .round(
        messages: try [LinkMessage](from: &reader), operationsMade: try Int(from: &reader))
    case 1: self = .report(try ReplicaReport(from: &reader))
    case 2: self = .trouble(try String(from: &reader))
    case 3: self = .awake
    case 4: self = .intends(try ReplicaAccount(from: &reader))
    case 5: self = .holds(try ReplicaHoldings(from: &reader))
    case 6:
      self = .state(
        ReplicaState(digest: try String(from: &reader), value: try String(from: &reader)))
    default: throw DecodingFailure(.outOfBounds("the kind of a reply"), at: start)
    }
  }
}

/// What the coordinator and a replica tell each other about the stream between
/// the replica and one of its neighbours.
struct LinkMessage: Equatable {
  enum Content: Equatable {
    /// There is a new stream. Only the coordinator says so.
    case opened
    /// Bytes for the stream, or from it.
    case bytes([UInt8])
    /// The stream broke or was closed.
    case ended
  }

  /// The place of the replica at the other end.
  var peer: Int
  /// Which of the link's streams it is about, counted from 1: what still comes of
  /// an earlier one is thrown away.
  var connection: Int
  var content: Content
}

extension LinkMessage: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    peer.encode(to: &writer)
    connection.encode(to: &writer)
    switch content {
    case .opened:
      writer.write(0)
    case .bytes(let bytes):
      writer.write(1)
      writer.write(block: bytes)
    case .ended:
      writer.write(2)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    peer = try Int(from: &reader)
    connection = try Int(from: &reader)
    let start = reader.offset
    switch try reader.readByte() {
    case 0: content = .opened
    case 1: content = .bytes(try reader.readBlock())
    case 2: content = .ended
    default: throw DecodingFailure(.outOfBounds("the kind of a link's message"), at: start)
    }
  }
}
