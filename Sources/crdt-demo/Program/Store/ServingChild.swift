import Toolkit

/// A command of the shell whose standard input and output are a stream to a store.
struct ServingChild {
  /// How long the command may take to end by itself when its input has ended.
  private static let endingMilliseconds = 10_000

  private let process: Int32
  private let hasTerminal: Bool
  /// The pipe from the command, or -1 when it is closed.
  private(set) var reading: Int32
  /// The pipe to the command, or -1 when it is closed.
  private(set) var writing: Int32

  init(_ command: String) throws(CommandFailure) {
    do throws(Syscalls.Failure) {
      (process, reading, writing) = try Syscalls.spawnOnPipes(
        "/bin/sh", arguments: ["sh", "-c", command])
      hasTerminal = Syscalls.lendTerminal(to: process)
    } catch {
      throw error.trouble
    }
  }

  /// Ends the stream, and waits for the command to end if it may take a while; says how
  /// it did, `nil` if it had to be ended, with all that it started.
  mutating func end(isAwaited: Bool = true) -> Syscalls.Ending? {
    close()
    let ending = awaitEnding(isAwaited ? Self.endingMilliseconds : 0)
    if hasTerminal { Syscalls.takeTerminalBack() }
    // Whoever is at the terminal meant this program too.
    if hasTerminal, ending?.isInterrupt ?? false { Syscalls.endAsInterrupted() }
    return ending
  }

  private func awaitEnding(_ milliseconds: Int) -> Syscalls.Ending? {
    if milliseconds > 0,
      let ending = Syscalls.awaitEnd(of: process, milliseconds: milliseconds)
    {
      return ending
    }
    // The command may have ended since its input did, but not all that it has started. It is
    // reaped after that, so its number is not another's yet.
    Syscalls.endGroup(process)
    _ = Syscalls.awaitEnd(of: process, milliseconds: 2_000)
    return nil
  }

  /// Closes the pipes, at which a store that is served ends.
  mutating func close() {
    for end in [reading, writing] where end >= 0 { Syscalls.closeDescriptor(end) }
    (reading, writing) = (-1, -1)
  }
}
