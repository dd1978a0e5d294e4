/// The console, shared with the one who tells of progress.
final class Screen {
  var console: Console

  init(isQuiet: Bool) {
    console = Console(isQuiet: isQuiet)
  }

  /// What shows progress; `nil` where nobody would see it.
  var progress: ProgressSink? {
    console.hasProgress ? { self.console.progress($0) } : nil
  }
}
