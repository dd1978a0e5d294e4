import CRDTKit
import CRDTStoreTesting

/// A node of a world that holds a value, writes under a name which may be used in two
/// places, and reads its value back from bytes now and then.
protocol NamedNode: ReplicaNode {
  var place: Int { get }
  var name: NodeName { get set }
  var value: Value { get set }
  var clock: HybridLogicalClock { get set }
  var readBack: ReadBack { get set }
  var tally: DeltaTally { get set }
  var settings: NodeSettings { get }

  /// Makes the change that a number stands for, which the crash loses.
  mutating func tear(_ draw: UInt64, at stamp: HybridTimestamp)

  /// Restores the backup.
  mutating func goBack()

  /// Continues with what a crash has left.
  mutating func recover()
}

extension NamedNode {
  var replica: ReplicaID { name.replica }

  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    switch kind {
    case .crash: break
    case .torn: tear(draw, at: clock.now(wallMilliseconds: WorldClock.beginning))
    case .restore:
      goBack()
      takeNewName()
    case .inPlace: goBack()
    }
    recover()
  }

  /// Continues under an unused name.
  mutating func takeNewName() {
    name.takeNew()
    clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
  }

  /// Continues under the name of another replica, which also continues.
  mutating func takeName(of other: Self) {
    name.take(of: other.name)
    clock = HybridLogicalClock(replica: replica, resuming: other.clock.latest)
  }

  /// Logs the changes of an edit that was just made, with what the writer had seen or read.
  mutating func record(
    _ changes: [OracleChange], at stamp: HybridTimestamp, after observed: VersionVector,
    _ context: WorldContext<Message>, seen: Shadow? = nil, before: Value? = nil
  ) {
    let counter = value.version[replica]
    for (number, change) in changes.enumerated() {
      log.append(
        RecordedEdit(
          replica: replica, counter: counter, observed: observed, change: change, stamp: stamp,
          serial: context.serial, place: place,
          events: number == 0 ? counter - observed[replica] : 0, seen: seen,
          read: before?.payloads(under: change.key) ?? []))
    }
  }

  mutating func readBackIfDue() {
    if readBack.isDue() { readBackNow() }
  }

  /// Continues with its decoded copy.
  mutating func readBackNow() {
    guard let copy = readBack.copy(value) else {
      failures.append("the value can't be read back from its bytes")
      return
    }
    value = copy
    tally.readBacks = readBack.count
    if settings.hasForks { value = name.goingOn(with: value) }
  }
}

/// Under which name a node of a ``World`` writes, and the stretches that it begins.
struct NodeName {
  private(set) var replica: ReplicaID
  private let names: WorldNames
  private let place: Int
  private var generation = 0
  private var generator: SeededGenerator
  /// The number of the stretch that was begun, until an event is in it.
  private var dueNonce: UInt32?

  init(of place: Int, seed: UInt64) {
    names = WorldNames(seed: seed)
    self.place = place
    replica = names.name(of: place)
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 58)
  }

  /// Continues under an unused name.
  mutating func takeNew() {
    generation += 1
    replica = names.name(of: place, generation: generation)
    dueNonce = nil
  }

  /// Continues under the name of another replica, which also continues.
  mutating func take(of other: NodeName) {
    replica = other.replica
    dueNonce = nil
  }

  /// Begins a stretch, as who opens a value does that may be a copy.
  mutating func opening<Value: WorldValue>(_ value: Value) -> Value {
    dueNonce = UInt32(truncatingIfNeeded: generator.next())
    return goingOn(with: value)
  }

  /// Continues with a value that was decoded from bytes.
  func goingOn<Value: WorldValue>(with value: Value) -> Value {
    guard let dueNonce else { return value }
    var value = value
    value.beginStretch(of: replica, nonce: dueNonce)
    return value
  }

  /// Records that an event was made.
  mutating func noteEvent() { dueNonce = nil }
}

/// The identifiers under which the replicas of a ``World`` write: from all 64 bits, small
/// ones and ones next to each other, by the world's seed.
struct WorldNames: Sendable {
  private enum Kind: CaseIterable {
    /// 1, 2, 3 and so on.
    case small
    /// From all bits.
    case scattered
    /// One after another, from anywhere.
    case adjacent
    /// Small ones, and others with the highest bit set.
    case mixed
  }

  private let kind: Kind
  private let seed: UInt64
  private let base: UInt64

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed, stream: 21)
    kind = Kind.allCases[random.below(Kind.allCases.count)]
    base = Self.plain(random.next())
    self.seed = random.next()
  }

  /// The identifier that a node has at first, or after it has taken so many new ones.
  func name(of place: Int, generation: Int = 0) -> ReplicaID {
    let serial = UInt64(place) + UInt64(generation) * 1_000
    switch kind {
    case .small: return ReplicaID(serial + 1)
    case .scattered: return ReplicaID(drawn(serial))
    case .adjacent: return ReplicaID(base + serial)
    case .mixed: return ReplicaID(place % 2 == 0 ? serial + 1 : Self.plain(drawn(serial) | 1 << 63))
    }
  }

  private func drawn(_ serial: UInt64) -> UInt64 {
    var random = SeededGenerator(seed: seed, stream: serial)
    return max(Self.plain(random.next()), 1)
  }

  /// A number that is no authority's, and no delegate's.
  private static func plain(_ number: UInt64) -> UInt64 {
    number >> 56 >= 0xFE ? number & ~(1 << 58) : number
  }
}

/// When a node of a ``World`` reads its value back from bytes, as an app does that keeps
/// bytes and no values.
struct ReadBack {
  private(set) var count = 0
  private let chance: Double
  private let forgets: Bool
  private var generator: SeededGenerator

  init(of place: Int, settings: NodeSettings, seed: UInt64) {
    chance = settings.decoding
    forgets = settings.sabotage == .unmarked
    generator = SeededGenerator(seed: seed, stream: UInt64(place) | 1 << 57)
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
    for place in _table.columns.indices { _table.columns[place].forgetMarks() }
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
