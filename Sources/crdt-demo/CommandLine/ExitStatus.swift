/// How the program ended.
enum ExitStatus: Int32 {
  /// All is well: the replicas converged, the history was replayed, the versions
  /// are merged.
  case success = 0
  /// The replicas ended with different states, or the versions of a file are in
  /// conflict; two traces differ; or what a store was asked for is not so.
  case diverged = 1
  /// The work could not be done: a file, a pipe, a child.
  case trouble = 2
  /// The command line can't be understood (`EX_USAGE`).
  case usage = 64

  /// A store hasn't what it was asked for, or isn't sound.
  static var negative: ExitStatus { .diverged }
}
