/// A file that is open for reading, and closed when nobody reads it any more.
final class TraceFile {
  private let descriptor: Int32
  private let isOwned: Bool

  /// Opens a file, or takes the standard input if its name is `-`.
  init(path: String) throws(Syscalls.Failure) {
    isOwned = path != "-"
    descriptor = isOwned ? try Syscalls.openForReading(path) : 0
  }

  deinit {
    if isOwned { Syscalls.closeDescriptor(descriptor) }
  }

  /// Reads some bytes onto the end of an array; says whether there may be more.
  func read(onto bytes: inout [UInt8], max: Int) throws(Syscalls.Failure) -> Bool {
    while true {
      if let count = try Syscalls.read(descriptor, onto: &bytes, max: max) { return count > 0 }
      _ = try Syscalls.wait(reading: [descriptor], milliseconds: 1_000)
    }
  }
}
