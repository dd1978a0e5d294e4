import CRDTKit

/// What the coordinator tells a replica.
enum Order: Equatable {
  /// The first order: who it is and what it does.
  case start(ReplicaSettings)
  /// Take in what has come, make some operations, and answer with what to send.
  case work(round: Int, messages: [LinkMessage])
  /// The links have healed: take in what has come, and answer with what to send.
  case heal([LinkMessage])
  /// What has come for a replica that runs freely.
  case messages([LinkMessage])
  /// Take in what has come, and don't answer.
  case delivery([LinkMessage])
  /// The wall clock jumps by so many milliseconds.
  case jump(Int)
  /// Say how it went; there are no further orders.
  case report
}

extension Order: FrameCodable {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .start(let settings):
      writer.write(0)
      settings.encode(to: &writer)
    case .work(let round, let messages):
      writer.write(1)
      round.encode(to: &writer)
      messages.encode(to: &writer)
    case .heal(let messages):
      writer.write(2)
      messages.encode(to: &writer)
    case .messages(let messages):
      writer.write(3)
      messages.encode(to: &writer)
    case .report:
      writer.write(4)
    case .delivery(let messages):
      writer.write(5)
      messages.encode(to: &writer)
    case .jump(let milliseconds):
      writer.write(6)
      milliseconds.encode(to: &writer)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .start(try ReplicaSettings(from: &reader))
    case 1: self = .work(round: try Int(from: &reader), messages: try [LinkMessage](from: &reader))
    case 2: self = .heal(try [LinkMessage](from: &reader))
    case 3: self = .messages(try [LinkMessage](from: &reader))
    case 4: self = .report
    case 5: self = .delivery(try [LinkMessage](from: &reader))
    case 6: self = .jump(try Int(from: &reader))
    default: throw DecodingFailure(.outOfBounds("the kind of an order"), at: start)
    }
  }
}
