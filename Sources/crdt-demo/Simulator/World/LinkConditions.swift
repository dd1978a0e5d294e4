/// The chances, from 0 to 1, of what can go wrong with a chunk of a stream.
struct LinkFaults: Equatable {
  var loss: Double
  var duplicate: Double
  var reorder: Double
  /// That a bit flips.
  var corrupt: Double
  /// That the link breaks.
  var cut: Double

  static let none = LinkFaults(loss: 0, duplicate: 0, reorder: 0, corrupt: 0, cut: 0)

  /// Enough that a short run meets all of them.
  static let standard = LinkFaults(
    loss: 0.02, duplicate: 0.02, reorder: 0.02, corrupt: 0.02, cut: 0.01)
}

extension LinkFaults: CustomStringConvertible {
  /// The chances in per cent.
  var description: String {
    "\(Self.percent(loss)) lost, \(Self.percent(duplicate)) duplicated, "
      + "\(Self.percent(reorder)) overtaken, \(Self.percent(corrupt)) corrupted, "
      + "\(Self.percent(cut)) cut, until they heal"
  }

  static func percent(_ chance: Double) -> String {
    let percent = (chance * 10_000).rounded() / 100
    return percent == percent.rounded() ? "\(Int(percent)) %" : "\(percent) %"
  }
}

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
