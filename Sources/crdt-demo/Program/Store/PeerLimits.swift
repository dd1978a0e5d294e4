import CRDTKit
import Toolkit

/// How long a peer may keep a session waiting, and how much it may bring.
struct PeerLimits: Equatable {
  /// For how many seconds it may neither say nor take a byte, and in how many it has to
  /// have greeted.
  var timeoutSeconds = 30
  /// How many bytes a second it says or takes at least, until both sides hold the same: who
  /// is slower for about ``timeoutSeconds`` is too slow.
  var bytesPerSecond = 10

  /// How many bytes it says at most that bring nothing: more than a transfer has, which brings
  /// something when it has wholly come.
  var idleBytesMax = 2 * SyncLimits.standard.maximumTransferBytes

  /// How many MiB of memory what it brings may take.
  var memoryMebibytes = SyncLimits.standard.maximumMemoryBytes >> 20

  /// What a session takes from it.
  var session: SyncLimits { SyncLimits(maximumMemoryBytes: memoryMebibytes << 20) }

  static let options: [ArgumentScanner.Option] = [
    "timeout", "rate", "memory",
  ]

  /// What is usual.
  init() {}

  /// Understands the values of options by their names.
  init(_ values: [String: String]) throws(UsageError) {
    if let text = values["timeout"] {
      timeoutSeconds = try OptionValue(name: "timeout", text: text).integer(in: 1...86_400)
    }
    if let text = values["rate"] {
      bytesPerSecond = try OptionValue(name: "rate", text: text).integer(in: 0...1_000_000_000)
    }
    if let text = values["memory"] {
      memoryMebibytes = try OptionValue(name: "memory", text: text).integer(in: 1...1_048_576)
    }
  }
}

/// For how much longer a peer is waited for.
struct PeerPatience {
  /// Why a peer isn't waited for any more.
  enum Fault: Error, Equatable {
    /// It neither said nor took a byte.
    case silent(seconds: Int)
    /// It said something, and not all of its greeting.
    case ungreeted(seconds: Int)
    /// It said and took less than so many bytes a second.
    case slow(bytesPerSecond: Int)
    /// It said more than so many bytes that brought nothing.
    case idle(bytes: Int)
  }

  private let limits: PeerLimits
  /// The time until the peer has been silent for too long.
  private var silence: Duration
  /// The time until it should have greeted; `nil` once it has.
  private var greeting: Duration?
  /// The time until it has been too slow: each byte gives it some more.
  private var slowness: Duration
  private var hasSpoken = false
  /// How many bytes it has said since they last brought something.
  private var idleBytes = 0

  init(_ limits: PeerLimits) {
    self.limits = limits
    (silence, slowness) = (Self.whole(limits), Self.whole(limits))
    greeting = Self.whole(limits)
  }

  private static func whole(_ limits: PeerLimits) -> Duration { .seconds(limits.timeoutSeconds) }

  /// For how long the peer may be waited for now.
  var left: Duration {
    if idleBytes > limits.idleBytesMax { return .zero }
    let left = limits.bytesPerSecond == 0 ? silence : min(silence, slowness)
    return min(left, greeting ?? left)
  }

  /// The peer has kept the session waiting.
  mutating func spend(_ time: Duration) {
    // Never less than zero: a peer that sends after the machine was asleep is still served.
    silence = max(.zero, silence - time)
    slowness = max(.zero, slowness - time)
    greeting = greeting.map { max(.zero, $0 - time) }
  }

  /// The peer said or took some bytes.
  mutating func note(bytes: Int, areSaid: Bool) {
    guard bytes > 0 else { return }
    hasSpoken = hasSpoken || areSaid
    if areSaid { idleBytes += bytes }
    silence = Self.whole(limits)
    let gain = Double(bytes) / Double(max(1, limits.bytesPerSecond))
    slowness = min(Self.whole(limits), slowness + .seconds(gain))
  }

  /// The peer has greeted, all of it.
  mutating func noteGreeting() { greeting = nil }

  /// What the peer said has brought something.
  mutating func noteNews() { idleBytes = 0 }

  /// Both sides hold the same, and there is nothing to wait for.
  mutating func renew() {
    (silence, slowness) = (Self.whole(limits), Self.whole(limits))
  }

  /// What the peer did not do in time, where nothing is ``left``.
  var fault: Fault {
    if idleBytes > limits.idleBytesMax { return .idle(bytes: limits.idleBytesMax) }
    if greeting != nil, hasSpoken { return .ungreeted(seconds: limits.timeoutSeconds) }
    return greeting != nil || silence == .zero
      ? .silent(seconds: limits.timeoutSeconds) : .slow(bytesPerSecond: limits.bytesPerSecond)
  }
}

extension PeerPatience.Fault {
  /// What a peer did not do in time, and what helps with it.
  func trouble(with peer: String) -> CommandFailure {
    switch self {
    case .silent(let seconds):
      CommandFailure(
        "\(peer) was silent for \(seconds.counted("second")); "
          + "'--timeout=SECONDS' lets it be so for longer")
    case .ungreeted(let seconds):
      CommandFailure(
        "\(peer) didn't finish its greeting in \(seconds.counted("second")); "
          + "'--timeout=SECONDS' gives it longer")
    case .slow(let rate):
      CommandFailure(
        "\(peer) moved less than \(rate.counted("byte")) a second; "
          + "'--rate=BYTES' lets it be slower")
    case .idle(let bytes):
      CommandFailure("\(peer) sent more than \(bytes.counted("byte")) that brought nothing")
    }
  }
}

extension SyncFailure {
  /// What helps with it, where an option does.
  var optionHint: String {
    guard case .malformed(let failure) = self, case .memoryExceeded = failure.reason else {
      return ""
    }
    return "; '--memory=MIB' lets what comes take more"
  }
}
