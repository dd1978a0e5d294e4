import CRDTKit

/// A message from the coordinator to a replica.
enum Order: Equatable {
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

/// A message between the coordinator and a replica about the stream to one of the replica's
/// neighbours.
struct LinkMessage: Equatable {
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
