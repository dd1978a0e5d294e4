import CRDTKit

extension DeltaNode {
  mutating func crash(_ kind: CrashKind, draw: UInt64) {
    inbox = []
    switch kind {
    case .crash: break
    case .torn:
      var copy = value
      let stamp = clock.now(wallMilliseconds: WorldClock.beginning)
      _ = copy.change(draw, among: settings.keys, at: stamp)
    case .restore:
      goBack()
      takeNewName()
    case .inPlace: goBack()
    }
    if settings.sabotage == .forgetful, place == 0, ticks > 5 { value = backup }
    guard settings.hasForks else { return }
    readBackNow()
    open()
  }

  /// Restores the backup.
  private mutating func goBack() {
    restores += 1
    (value, shadow) = (backup, backupShadow)
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
