import CRDTKit

/// What a replica tells its coordinator.
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
