@testable import CRDTSimulator

/// A node that sends numbers to all its neighbours and notes what comes.
struct CountingNode: WorldNode {
  struct Message: WorldMessage {
    var number: UInt64
    var byteCount: Int { 100 }
  }

  /// What has come, with the neighbour it came from and when.
  var heard: [(neighbour: Int, number: UInt64, time: UInt64)] = []
  var ticks: [UInt64] = []
  var connections: [String] = []

  mutating func edit(_ number: UInt64, _ context: inout WorldContext<Message>) {
    context.sendToAll(Message(number: number))
  }

  mutating func tick(_ context: inout WorldContext<Message>) { ticks.append(context.now) }

  mutating func receive(
    _ message: Message, from neighbour: Int, _ context: inout WorldContext<Message>
  ) {
    heard.append((neighbour, message.number, context.now))
    context.learned = 1
  }

  mutating func connect(to neighbour: Int, _ context: inout WorldContext<Message>) {
    connections.append("+\(neighbour)")
  }

  mutating func disconnect(from neighbour: Int) { connections.append("-\(neighbour)") }
}
