import Toolkit

/// The progress of a simulation.
struct SimulationProgress: Equatable {
  /// The progress of a replica.
  struct Row: Equatable {
    /// What of its work is done, from 0 to 1.
    var share: Double
    /// The same, in words.
    var done: String
    /// Bytes that it has sent.
    var bytes: Int
    /// The digest of its state, where it is known.
    var digest: String?
    /// Anything that is wrong with it, or was.
    var note = ""
  }

  /// All of it in a line.
  var headline: String
  /// A row for each replica.
  var rows: [Row] = []
  /// Faults until now, in words.
  var faults = ""
}

/// Is told now and then that there is progress, and asks how much if it shows any.
typealias ProgressSink = (() -> SimulationProgress) -> Void

/// The console, shared with the one who tells of progress.
final class Screen {
  var console: Console

  init(isQuiet: Bool) {
    console = Console(isQuiet: isQuiet)
  }

  /// What shows progress; `nil` where nobody would see it.
  var progress: ProgressSink? {
    guard console.hasProgress else { return nil }
    return { progress in
      self.console.progress { columns, rows, style in
        LiveView(columns: columns, rows: rows, styled: style).lines(of: progress())
      }
    }
  }
}
