import Toolkit

/// Writes a trace to a file, a line of JSON for each event.
///
/// What was written stays there if the run ends badly: then it is wanted most.
final class TraceWriter {
  /// How many bytes are kept until they are written together.
  private static let bufferMax = 1 << 16

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var trouble: CommandFailure?
  /// How many events were written.
  private(set) var count = 0

  /// Makes the file, or empties the one there is.
  init(path: String) throws(CommandFailure) {
    self.path = path
    do throws(Syscalls.Failure) {
      descriptor = try Syscalls.openEmpty(path)
    } catch {
      throw CommandFailure("\(path): \(error.reason)")
    }
  }

  deinit {
    Syscalls.closeDescriptor(descriptor)
  }

  /// Writes an event; what goes wrong is told by ``finish()``.
  func write(_ event: TraceEvent) {
    guard trouble == nil else { return }
    count += 1
    buffer += event.line.utf8
    buffer.append(0x0A)
    if buffer.count >= Self.bufferMax { flush() }
  }

  private func flush() {
    do throws(Syscalls.Failure) {
      try FileWriter.writeAll(descriptor, buffer)
    } catch {
      trouble = CommandFailure("\(path): \(error.reason)")
    }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes what is left.
  func finish() throws(CommandFailure) {
    flush()
    if let trouble { throw trouble }
  }
}
