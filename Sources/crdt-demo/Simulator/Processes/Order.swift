import CRDTKit

/// What the coordinator tells a replica.
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
