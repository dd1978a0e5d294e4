import CRDTKit
import CRDTStoreTesting

extension DeltaNode {
  /// A message about one name that is used in two places.
  enum Mending {
    /// What all that the sender has comes to, where its version is this.
    case digest(VersionVector, ContentDigest)
    /// The sender wants all that isn't in a version, to mend with.
    case wish(VersionVector)
    /// The answer: a delta, or the whole value.
    case whole(TableDelta<Value>, Shadow)
    case state(Value, Shadow)
  }

  /// Answers who has the same version, so that it shows if the two differ all the same.
  func compare(_ neighbour: Int, _ context: inout Context) {
    guard !settings.sabotage.ignoresContents else { return }
    // Nothing is new in it, but it tells what the events have come to: two lines may hold the
    // same.
    context.send(.delta(value.delta(since: value.version), shadow), to: neighbour)
    context.send(.mending(.digest(value.version, value.contentDigest)), to: neighbour)
  }

  mutating func receive(
    _ message: Mending, from neighbour: Int, _ context: inout Context
  ) {
    switch message {
    case .digest(let version, let digest):
      guard version == value.version, digest != value.contentDigest else { return }
      context.send(.mending(.wish([:])), to: neighbour)
      context.send(.mending(.whole(value.delta(since: [:]), shadow)), to: neighbour)
    case .wish(let version):
      if generator.below(3) == 0 {
        context.send(.mending(.state(value, shadow)), to: neighbour)
      } else {
        context.send(.mending(.whole(value.delta(since: version), shadow)), to: neighbour)
      }
    case .whole(let delta, let shadow): mend(by: delta, shadow, from: neighbour, &context)
    case .state(let other, let shadow):
      tally.delivered &+= 1
      let before = value.version
      value.merge(other)
      if value.version != before {
        noteLearned(Value.latestTimestamp(in: other.delta(since: [:])), &context)
      }
      noteTaken(shadow)
    }
  }

  /// Asks for all of a replica that has written in two places.
  mutating func meetFork(
    of replica: ReplicaID, by delta: TableDelta<Value>, _ shadow: Shadow, from neighbour: Int,
    _ context: inout Context
  ) {
    switch settings.sabotage {
    case .refused: return
    case .unwritten where replica == self.replica:
      name.takeNew()
      return takeUnmarked(delta, shadow)
    case .sameDots: return takeUnmarked(delta, shadow)
    default: break
    }
    var version = value.version
    version[replica] = 0
    context.send(.mending(.wish(version)), to: neighbour)
  }

  /// Applies a delta as if events of one dot were equal: an injected defect.
  private mutating func takeUnmarked(_ delta: TableDelta<Value>, _ shadow: Shadow) {
    var delta = delta
    delta.forgetMarks()
    value.forgetMarks()
    if (try? value.apply(delta)) != nil { self.shadow.join(shadow) }
  }

  /// Applies a requested delta.
  private mutating func mend(
    by delta: TableDelta<Value>, _ shadow: Shadow, from neighbour: Int, _ context: inout Context
  ) {
    tally.delivered &+= 1
    do throws(DeltaError) {
      let isNew = try value.apply(mending: delta)
      if isNew { noteLearned(Value.latestTimestamp(in: delta), &context) }
      noteTaken(shadow)
    } catch {
      switch error {
      // Of several forks the first alone is told.
      case .fork where delta.base != [:]: context.send(.mending(.wish([:])), to: neighbour)
      case .gap: break
      default: failures.append("what was to mend a fork was refused: \(error)")
      }
    }
  }

  /// Notes what was taken in, and leaves a name that is used in two places.
  mutating func noteTaken(_ shadow: Shadow) {
    self.shadow.join(shadow)
    // Events of its own name that it hasn't made, or has lost, are another's to go on from.
    let isBehind = value.version[replica] > ownCount
    guard isBehind || value.forks.contains(replica) else { return }
    takeNewName()
    open()
  }

  mutating func tear(_ draw: UInt64, at stamp: HybridTimestamp) {
    var copy = value
    _ = copy.change(draw, among: settings.keys, at: stamp)
  }

  mutating func goBack() {
    restores += 1
    (value, shadow) = (backup, backupShadow)
  }

  mutating func recover() {
    inbox = []
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { value = backup }
    guard settings.hasForks else { return }
    readBackNow()
    open()
  }

  mutating func become(copyOf other: DeltaNode<Value>, draw: UInt64) {
    (value, shadow) = (other.value, other.shadow)
    (backup, backupShadow) = (value, shadow)
    takeName(of: other)
    readBackNow()
    open()
  }

  /// Begins a stretch: what comes now may be another line than what somebody else writes.
  mutating func open() {
    ownCount = value.version[replica]
    if settings.sabotage == .unnoticed { value.forgetMarks() } else { value = name.opening(value) }
  }
}
