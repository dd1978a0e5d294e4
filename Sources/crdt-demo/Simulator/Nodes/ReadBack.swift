import CRDTKit

/// When a node of a ``World`` reads its value back from bytes, as an app does that keeps
/// bytes and no values.
struct ReadBack {
  private(set) var count = 0
  private let chance: Double
  private let forgets: Bool
  private var generator: SplitMix64

  init(of place: Int, settings: NodeSettings, seed: UInt64) {
    chance = settings.decoding
    forgets = settings.sabotage == .unmarked
    generator = SplitMix64(seed: seed, stream: UInt64(place) | 1 << 57)
  }

  /// Whether it is time.
  @inline(__always)
  mutating func isDue() -> Bool {
    chance > 0 && generator.happens(chance)
  }

  /// The decoded copy of the value; `nil` if it can't be decoded.
  mutating func copy<Value: WorldValue>(_ value: Value) -> Value? {
    count += 1
    guard var copy = try? Value(decoding: value.encoded()) else { return nil }
    if forgets { copy.forgetMarks() }
    return copy
  }
}

extension WorldValue {
  /// Forgets all data that distinguishes lines of events: an injected defect.
  mutating func forgetMarks() {
    for place in table.columns.indices { table.columns[place].forgetMarks() }
  }
}

extension TableDelta {
  /// Forgets all data that distinguishes lines of events: an injected defect.
  mutating func forgetMarks() {
    for place in changes.columns.indices { changes.columns[place].forgetMarks() }
  }
}

extension Column {
  fileprivate mutating func forgetMarks() {
    let blank = Column(replica: replica)
    (history, stretches, origin) = (blank.history, blank.stretches, seen)
  }
}
