/// What the links of a ``World`` do to what is sent over them.
struct LinkConditions: Equatable, Sendable {
  /// Microseconds that a message takes at least.
  var delay = 1_000
  /// Microseconds that it may take more, drawn for each; but without reordering, none
  /// overtakes another.
  var jitter = 0
  /// Bytes a second; 0 for as many as there are.
  var bandwidth = 0
  /// The chances of what can go wrong with a message.
  var faults = LinkFaults.none
  /// The most microseconds that a message is late which others overtake.
  var lateMax = 5_000
  /// The most microseconds until there is a connection again after one was cut.
  var reconnectMax = 20_000

  /// Microseconds that a short message may take, if nothing goes wrong.
  var latency: UInt64 {
    let sending = bandwidth > 0 ? 1_000_000_000 / UInt64(bandwidth) : 0
    return UInt64(delay) + UInt64(jitter) + sending
  }
}
