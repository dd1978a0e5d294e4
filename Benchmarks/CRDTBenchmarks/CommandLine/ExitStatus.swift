/// What the process tells the one who started it.
enum ExitStatus: Int32 {
  case success = 0
  case trouble = 2
  /// `EX_USAGE`: the arguments were wrong.
  case usage = 64
}
