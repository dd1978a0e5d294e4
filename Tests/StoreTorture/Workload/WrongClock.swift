import CRDTStore
import CRDTStoreTesting

/// A clock that is off by a fixed time: each run of a writer has another, so that
/// values are overwritten by a machine whose clock was set back.
struct WrongClock: WallClock {
  let offset: Int64

  /// Off by up to a day, as the seed says.
  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    offset = Int64.random(in: -86_400_000...86_400_000, using: &random)
  }

  var milliseconds: UInt64 {
    UInt64(clamping: Int64(clamping: SystemClock().milliseconds) + offset)
  }
}
