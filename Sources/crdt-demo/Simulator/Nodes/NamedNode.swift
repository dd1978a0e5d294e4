import CRDTKit

/// A node of a world that holds a value, writes under a name which may be used in two
/// places, and reads its value back from bytes now and then.
protocol NamedNode: ReplicaNode {
  var name: NodeName { get set }
  var value: Value { get set }
  var clock: HybridLogicalClock { get set }
  var readBack: ReadBack { get set }
  var tally: DeltaTally { get set }
  var settings: NodeSettings { get }
}

extension NamedNode {
  var replica: ReplicaID { name.replica }

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
  private var generator: SplitMix64
  /// The number of the stretch that was begun, until an event is in it.
  private var dueNonce: UInt32?

  init(of place: Int, seed: UInt64) {
    names = WorldNames(seed: seed)
    self.place = place
    replica = names.name(of: place)
    generator = SplitMix64(seed: seed, stream: UInt64(place) | 1 << 58)
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
