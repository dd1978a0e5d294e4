import CRDTSimulator
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
      let input = try Syscalls.makePipe()
      defer { Syscalls.closeDescriptor(input.reading) }
      writing = input.writing
      let output: (reading: Int32, writing: Int32)
      do throws(Syscalls.Failure) { output = try Syscalls.makePipe() } catch {
        Syscalls.closeDescriptor(writing)
        throw error
      }
      defer { Syscalls.closeDescriptor(output.writing) }
      reading = output.reading
      do throws(Syscalls.Failure) {
        process = try Syscalls.spawn(
          "/bin/sh", arguments: ["sh", "-c", command], input: input.reading,
          output: output.writing)
      } catch {
        for end in [reading, writing] { Syscalls.closeDescriptor(end) }
        throw error
      }
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
    var left = milliseconds
    while left > 0 {
      if let ending = try? Syscalls.reap(process) { return ending }
      Syscalls.sleep(milliseconds: 5)
      left -= 5
    }
    Syscalls.endGroup(process)
    for _ in 0..<500 {
      if (try? Syscalls.reap(process)) != nil { return nil }
      Syscalls.sleep(milliseconds: 4)
    }
    return nil
  }

  /// Hands the pipes over to someone who closes them.
  mutating func releasePipes() -> (reading: Int32, writing: Int32) {
    defer { (reading, writing) = (-1, -1) }
    return (reading, writing)
  }

  /// Closes the pipes, at which a store that is served ends.
  mutating func close() {
    for end in [reading, writing] where end >= 0 { Syscalls.closeDescriptor(end) }
    (reading, writing) = (-1, -1)
  }
}
