/// Something that stopped the work, a file, a pipe or a child: status 2.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// What happened, and to what.
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}

/// A command line that can't be understood: status 64.
package struct UsageError: Error, Equatable {
  /// What is wrong with it.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }
}

/// How the program ended.
package enum ExitStatus: Int32 {
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
  package static var negative: ExitStatus { .diverged }
}
