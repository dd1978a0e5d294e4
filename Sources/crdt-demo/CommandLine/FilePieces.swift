/// Reads a file, or the standard input, piece by piece.
final class FilePieces {
  private let descriptor: Int32
  private let isOwn: Bool

  /// Opens a file, or the standard input if its name is `-`.
  init(_ path: String) throws(Trouble) {
    isOwn = path != "-"
    do throws(Syscalls.Failure) {
      descriptor = isOwn ? try Syscalls.openForReading(path) : 0
    } catch {
      throw Trouble(error.reason)
    }
  }

  deinit {
    if isOwn { Syscalls.closeDescriptor(descriptor) }
  }

  /// Adds the next piece, waiting for it; says whether there was one.
  func read(onto bytes: inout [UInt8]) throws(Trouble) -> Bool {
    do throws(Syscalls.Failure) {
      while true {
        let count = try Syscalls.read(descriptor, onto: &bytes, max: 1 << 20)
        if let count { return count > 0 }
        _ = try Syscalls.wait(reading: [descriptor], milliseconds: 1_000)
      }
    } catch {
      throw Trouble(error.reason)
    }
  }
}
