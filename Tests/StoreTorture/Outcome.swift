/// How a command ended, as its status.
enum Outcome: Int32, Error {
  case held = 0
  case broken = 1
  case trouble = 2
  /// The store refused to go on after an error of the system, as it should.
  case stopped = 10
  /// The store could not be opened, with a clear error.
  case refused = 11
  /// The store is open elsewhere.
  case locked = 12
  /// The machine doesn't allow what the command needs.
  case skipped = 77
}
