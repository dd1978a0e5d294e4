/// An error of a file, a pipe or a child process: status 2.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// The error, and the object that it concerns.
  package var description: String

  package init(_ description: String) {
    self.description = description
  }

  /// Runs a body; a failure of it names the file that it concerns.
  package static func naming<Result>(
    _ file: String, _ body: () throws(CommandFailure) -> Result
  ) throws(CommandFailure) -> Result {
    do throws(CommandFailure) { return try body() } catch {
      throw CommandFailure("\(file): \(error)")
    }
  }
}

/// An invalid command line: status 64.
package struct UsageError: Error, Equatable {
  /// What is wrong with it.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }
}

/// How the program ended.
package enum ExitStatus: Int32 {
  /// Success: the replicas converged, the history was replayed, or the versions are merged.
  case success = 0
  /// The replicas ended with different states, or the versions of a file are in
  /// conflict; two traces differ; or what a store was asked for is not so.
  case diverged = 1
  /// An error of a file, a pipe or a child process.
  case trouble = 2
  /// The command line is invalid (`EX_USAGE`).
  case usage = 64

  /// A store hasn't what it was asked for, or isn't sound.
  package static var negative: ExitStatus { .diverged }
}
