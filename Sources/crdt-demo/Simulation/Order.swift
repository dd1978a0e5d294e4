import CRDTKit

/// What the coordinator tells a replica.
enum Order: Equatable {
  /// The first order: who it is and what it does.
  case start(ReplicaSettings)
  /// Take these packets in, make some operations, and answer with what to send.
  case work(round: Int, packets: [Packet])
  /// Take these packets in and answer with what to send; in the first such round,
  /// ask the neighbours for all that was missed.
  case heal(isFirst: Bool, packets: [Packet])
  /// Packets that have arrived at a replica that runs freely.
  case packets([Packet])
  /// Say how it went; there are no further orders.
  case report
}

extension Order: FrameCodable {
  func encode(to writer: inout ByteWriter) {
    switch self {
    case .start(let settings):
      writer.write(0)
      settings.encode(to: &writer)
    case .work(let round, let packets):
      writer.write(1)
      round.encode(to: &writer)
      packets.encode(to: &writer)
    case .heal(let isFirst, let packets):
      writer.write(2)
      isFirst.encode(to: &writer)
      packets.encode(to: &writer)
    case .packets(let packets):
      writer.write(3)
      packets.encode(to: &writer)
    case .report:
      writer.write(4)
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    switch try reader.readByte() {
    case 0: self = .start(try ReplicaSettings(from: &reader))
    case 1: self = .work(round: try Int(from: &reader), packets: try [Packet](from: &reader))
    case 2: self = .heal(isFirst: try Bool(from: &reader), packets: try [Packet](from: &reader))
    case 3: self = .packets(try [Packet](from: &reader))
    case 4: self = .report
    default: throw DecodingFailure(.outOfBounds("the kind of an order"), at: start)
    }
  }
}
