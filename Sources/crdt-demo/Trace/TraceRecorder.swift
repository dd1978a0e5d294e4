/// Stamps what happens with the time and numbers messages, for a sink.
final class TraceRecorder {
  private let sink: TraceSink
  /// Microseconds since the beginning.
  private(set) var time: UInt64 = 0
  private var messages = 0

  init(_ sink: @escaping TraceSink) {
    self.sink = sink
  }

  /// How many microseconds of a trace a round stands for.
  static let roundMicroseconds: UInt64 = 1_000_000

  /// It is a round's time now.
  func begin(round: Int) {
    advance(to: UInt64(round) * Self.roundMicroseconds)
  }

  /// It is so late now, or as late as it was.
  func advance(to time: UInt64) {
    self.time = max(self.time, time)
  }

  /// A number for a message that is sent.
  func nextMessage() -> Int {
    messages += 1
    return messages
  }

  /// Hands on what happens now.
  func record(
    _ kind: TraceEvent.Kind, _ replica: Int? = nil, peer: Int? = nil, message: Int? = nil,
    bytes: Int? = nil, events: Int? = nil, digest: String? = nil, value: String? = nil,
    detail: String? = nil
  ) {
    sink(
      TraceEvent(
        time: time, kind: kind, replica: replica, peer: peer, message: message, bytes: bytes,
        events: events, digest: digest, value: value, detail: detail))
  }
}
