import CRDTKit

/// How wrong the wall clock of a replica's process is.
struct ClockError: Equatable {
  /// The most milliseconds that a clock is off, jumps and all: so much that replicas
  /// still take each other's stamps.
  static let offsetMax = 60_000

  /// Milliseconds that it is ahead, or behind where negative.
  private(set) var offset = 0
  /// How much too fast it goes, in parts per million.
  var drift = 0

  init(jumpedBy milliseconds: Int = 0, drift: Int = 0) {
    self.drift = drift
    jump(by: milliseconds)
  }

  /// Lets it jump, as far as it may.
  mutating func jump(by milliseconds: Int) {
    offset = min(max(offset + milliseconds, -Self.offsetMax), Self.offsetMax)
  }

  /// What it shows when so many milliseconds have gone by since the beginning.
  func milliseconds(after elapsed: UInt64, since beginning: UInt64) -> UInt64 {
    let error = offset + Int(elapsed) * drift / 1_000_000
    return UInt64(Int(beginning + elapsed) + error)
  }

  /// Draws the errors of all replicas' clocks.
  static func draw(_ options: SimulationOptions) -> [ClockError] {
    var random = SplitMix64(seed: options.seed, stream: 1 << 60)
    return (0..<options.replicas).map { _ in
      ClockError(
        jumpedBy: random.within(options.clocks.skew), drift: random.within(options.clocks.drift))
    }
  }
}

extension ClockError {
  func encode(to writer: inout ByteWriter) {
    offset.encode(to: &writer)
    drift.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    offset = try Int(from: &reader)
    drift = try Int(from: &reader)
    guard offset.magnitude <= Self.offsetMax, drift.magnitude <= 1_000_000 else {
      throw DecodingFailure(.outOfBounds("the error of a clock"), at: start)
    }
  }
}
