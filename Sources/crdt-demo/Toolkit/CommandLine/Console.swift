import CRDTKit

/// The program's output: results on standard output, errors and progress on standard error.
///
/// It colours text and shows progress only on a terminal.
package struct Console {
  package static let name = "crdt-demo"
  package static let version = "crdt-demo 0.1.0\n"
  package static let hint = "Try 'crdt-demo --help' for more information.\n"

  private let hasColour: Bool
  /// Whether progress is shown.
  package let hasProgress: Bool
  private var results: [UInt8] = []
  /// The number of progress lines on the screen.
  private var progressLines = 0
  private var lastView: ContinuousClock.Instant?

  package init(isQuiet: Bool = false) {
    let term = Syscalls.environment("TERM") ?? "dumb"
    hasColour =
      Syscalls.isTerminal(1) && (Syscalls.environment("NO_COLOR") ?? "").isEmpty && term != "dumb"
    hasProgress = Syscalls.isTerminal(2) && term != "dumb" && !isQuiet
  }

  /// Adds to the results, which are written when the program ends.
  package mutating func write(_ text: String) {
    results += text.utf8
  }

  /// Adds bytes to the results.
  package mutating func write(_ bytes: [UInt8]) {
    results += bytes
  }

  /// Writes bytes to a file, or adds them to the results if there is none.
  package mutating func deliver(_ bytes: [UInt8], to path: String?) throws(CommandFailure) {
    guard let path else { return write(bytes) }
    try CommandFailure.naming(path) { () throws(CommandFailure) in
      try FileWriter.write(bytes, to: path)
    }
  }

  /// Text styled for this terminal, or plain.
  package func styled(_ style: TextStyle, _ text: String) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// Shows the progress in place of the previous one.
  package mutating func progress(_ text: @autoclosure () -> String) {
    guard hasProgress else { return }
    draw([text()])
  }

  /// Shows lines in place of those before, made for a terminal's columns and rows: a few
  /// times a second.
  package mutating func progress(
    lines: (
      _ columns: Int, _ rows: Int, _ styled: @escaping (TextStyle, String) -> String
    ) -> [String]
  ) {
    guard hasProgress else { return }
    let now = ContinuousClock.now
    if let lastView, now - lastView < .milliseconds(120) { return }
    lastView = now
    let size = Syscalls.terminalSize(2)
    draw(lines(size?.columns ?? 80, size?.rows ?? 24, styled))
  }

  /// Puts lines in place of those that were drawn before; the cursor stays in the last.
  private mutating func draw(_ lines: [String]) {
    Self.writeError(erasure + lines.joined(separator: "\n"))
    progressLines = lines.count
  }

  /// What takes the lines off the screen.
  private var erasure: String {
    progressLines > 1 ? "\r\u{1B}[\(progressLines - 1)A\u{1B}[J" : "\r\u{1B}[K"
  }

  /// Takes the progress off the screen.
  package mutating func clearProgress() {
    guard progressLines > 0 else { return }
    Self.writeError(erasure)
    progressLines = 0
  }

  /// Says on the standard error what went wrong; whatever is quoted in it, nothing acts on
  /// the terminal.
  package mutating func error(_ text: String) {
    clearProgress()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let shown = lines.map { String($0).visible }.joined(separator: "\n")
    Self.writeError("\(Self.name): \(shown)\n")
  }

  /// Adds to an error what helps with it.
  package func hint(_ text: String) {
    Self.writeError(text)
  }

  /// Writes the results, and returns the exit status.
  package mutating func finish(_ status: ExitStatus) -> ExitStatus {
    clearProgress()
    do throws(Syscalls.Failure) {
      try FileWriter.writeAll(1, results)
      results = []
      return status
    } catch {
      self.error("write error: \(error.reason)")
      return .trouble
    }
  }

  /// Runs the action of a command, and reports its error.
  package static func reporting(
    isQuiet: Bool = false, _ body: (inout Console) throws(CommandFailure) -> ExitStatus
  ) -> ExitStatus {
    var console = Console(isQuiet: isQuiet)
    do throws(CommandFailure) {
      let status = try body(&console)
      return console.finish(status)
    } catch {
      console.error(error.description)
      return console.finish(.trouble)
    }
  }

  /// Nothing can be done where even an error can't be written.
  private static func writeError(_ text: String) {
    try? FileWriter.writeAll(2, Array(text.utf8))
  }
}

/// How text stands out on a terminal that has colours.
package enum TextStyle: String {
  case bold = "1"
  case dim = "2"
  case green = "1;32"
  case red = "1;31"
}
