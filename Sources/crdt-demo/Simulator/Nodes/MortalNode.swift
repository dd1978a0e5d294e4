import CRDTKit

/// A node of a world that stores the part of its value that a crash leaves.
protocol MortalNode: NamedNode {
  var place: Int { get }
  var restores: Int { get set }
  /// The state that a crash leaves, if crashes occur.
  var durable: Value { get set }
  /// The older copy from which it may restart.
  var backup: Value { get set }
  /// The edits that were made in its own past, and in the backup's.
  var shadow: Shadow { get set }
  var backupShadow: Shadow { get set }
  var ticks: Int { get }

  /// Sets the state to what a crash leaves, without connections.
  mutating func startOver()
}

extension MortalNode {
  var durableVersion: VersionVector { settings.isMortal ? durable.version : value.version }

  /// Makes the edit that a number stands for.
  ///
  /// Returns `false` if nothing has changed.
  mutating func change(_ number: UInt64, _ context: WorldContext<Message>) -> Bool {
    readBackIfDue()
    let before = settings.hasForks ? value : nil
    let observed = value.version
    let stamp = clock.now(wallMilliseconds: context.wallMilliseconds)
    let changes = value.change(number, among: settings.keys, at: stamp).changes
    let counter = value.version[replica]
    guard counter > observed[replica] else { return false }
    // Durable before any session may send it.
    if settings.isMortal { durable = value }
    for (number, change) in changes.enumerated() {
      log.append(
        RecordedEdit(
          replica: replica, counter: counter, observed: observed, change: change, stamp: stamp,
          serial: context.serial, place: place,
          events: number == 0 ? counter - observed[replica] : 0,
          read: before?.payloads(under: change.key) ?? []))
    }
    if settings.hasForks {
      shadow.insert(context.serial)
      name.noteEvent()
    }
    return true
  }

  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    switch kind {
    case .crash: break
    case .torn:
      let stamp = clock.now(wallMilliseconds: WorldClock.beginning)
      _ = value.change(draw, among: settings.keys, at: stamp)
    case .restore:
      goBack()
      takeNewName()
    case .inPlace: goBack()
    }
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { durable = backup }
    restart()
  }

  /// Restores the backup.
  private mutating func goBack() {
    restores += 1
    (durable, shadow) = (backup, backupShadow)
  }

  mutating func become(copyOf other: Self, draw: UInt64) {
    (durable, shadow) = (other.durable, other.shadow)
    (backup, backupShadow) = (durable, shadow)
    takeName(of: other)
    restart()
  }

  /// Starts with what is durable.
  mutating func restart() {
    startOver()
    guard settings.hasForks else { return }
    readBackNow()
    value = name.opening(value)
  }

  /// Leaves a name that was used in two places.
  mutating func leaveName() {
    takeNewName()
    value = name.opening(value)
  }
}
