/// Reads files whole.
enum FileReader {
  /// The bytes of a file, or of the standard input if its name is `-`.
  static func read(_ path: String, sizeMax: Int) throws(Trouble) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(Syscalls.Failure) {
      let descriptor = path == "-" ? 0 : try Syscalls.openForReading(path)
      defer { if path != "-" { Syscalls.closeDescriptor(descriptor) } }
      while bytes.count <= sizeMax {
        let count = try Syscalls.read(descriptor, onto: &bytes, max: 1 << 20)
        if count == 0 { return bytes }
        if count == nil {
          _ = try Syscalls.wait(reading: [descriptor], milliseconds: 1_000)
        }
      }
    } catch {
      throw Trouble(error.reason)
    }
    throw Trouble("the file is larger than \(sizeMax >> 20) MiB")
  }
}
