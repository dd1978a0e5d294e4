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

  /// Goes on under a name that nobody has had.
  mutating func takeNewName() {
    name.takeNew()
    clock = HybridLogicalClock(replica: replica, resuming: clock.latest)
  }

  /// Goes on under the name of another, which goes on, too.
  mutating func takeName(of other: Self) {
    name.take(of: other.name)
    clock = HybridLogicalClock(replica: replica, resuming: other.clock.latest)
  }

  mutating func readBackIfDue() {
    if readBack.isDue() { readBackNow() }
  }

  /// Goes on with what its bytes say.
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
