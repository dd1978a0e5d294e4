/// Reads files whole.
package enum FileReader {
  /// The bytes of a file, or of the standard input if its name is `-`.
  package static func read(_ path: String, sizeMax: Int) throws(CommandFailure) -> [UInt8] {
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
      throw CommandFailure(error.reason)
    }
    throw CommandFailure("the file is larger than \(sizeMax >> 20) MiB")
  }
}

/// Reads a file, or the standard input, piece by piece.
package final class FilePieces {
  private let descriptor: Int32
  private let isOwn: Bool

  /// Opens a file, or the standard input if its name is `-`.
  package init(_ path: String) throws(CommandFailure) {
    isOwn = path != "-"
    do throws(Syscalls.Failure) {
      descriptor = isOwn ? try Syscalls.openForReading(path) : 0
    } catch {
      throw CommandFailure(error.reason)
    }
  }

  deinit {
    if isOwn { Syscalls.closeDescriptor(descriptor) }
  }

  /// Adds the next piece, waiting for it; says whether there was one.
  package func read(onto bytes: inout [UInt8]) throws(CommandFailure) -> Bool {
    do throws(Syscalls.Failure) {
      while true {
        let count = try Syscalls.read(descriptor, onto: &bytes, max: 1 << 20)
        if let count { return count > 0 }
        _ = try Syscalls.wait(reading: [descriptor], milliseconds: 1_000)
      }
    } catch {
      throw CommandFailure(error.reason)
    }
  }
}

/// Writes files whole.
package enum FileWriter {
  /// Replaces a file's contents atomically: with all bytes, or not at all.
  ///
  /// They are written to a file beside it, which then takes its name. Links are
  /// followed, and permissions kept. What is no regular file, such as a terminal,
  /// is written to as it is.
  package static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    try write(to: path) { (descriptor) throws(Syscalls.Failure) in
      try writeAll(descriptor, bytes)
    }
  }

  /// Puts in a file's place what the body writes to a descriptor, likewise.
  package static func write(
    to path: String, _ body: (Int32) throws(Syscalls.Failure) -> Void
  ) throws(CommandFailure) {
    do throws(Syscalls.Failure) {
      let facts = try Syscalls.facts(of: path)
      if let facts, !facts.isRegular {
        let descriptor = try Syscalls.openForWriting(path)
        defer { Syscalls.closeDescriptor(descriptor) }
        return try body(descriptor)
      }
      try replace(
        Syscalls.resolved(path) ?? path, permissions: facts?.permissions, body)
    } catch {
      throw CommandFailure(error.reason)
    }
  }

  /// Puts a text in a file's place, likewise; what goes wrong names the file.
  package static func writeText(_ text: String, to path: String) throws(CommandFailure) {
    try CommandFailure.naming(path) { () throws(CommandFailure) in
      try write(Array(text.utf8), to: path)
    }
  }

  /// `nil` stands for the system's usual permissions.
  private static func replace(
    _ path: String, permissions: UInt32?, _ body: (Int32) throws(Syscalls.Failure) -> Void
  ) throws(Syscalls.Failure) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let chance = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    let temporary = path[..<slash] + ".crdt-demo-\(chance)"
    let descriptor = try Syscalls.create(String(temporary), isUsual: permissions == nil)
    do throws(Syscalls.Failure) {
      defer { Syscalls.closeDescriptor(descriptor) }
      try body(descriptor)
      if let permissions { try Syscalls.setPermissions(permissions, of: descriptor) }
      try Syscalls.synchronize(descriptor)
      try Syscalls.rename(String(temporary), to: path)
    } catch {
      Syscalls.remove(String(temporary))
      throw error
    }
  }

  /// Writes bytes, waiting where there is no room yet.
  package static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(Syscalls.Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try Syscalls.write(descriptor, rest)
      rest = rest.dropFirst(count)
      if count == 0 {
        _ = try Syscalls.wait(reading: [], writing: [descriptor], milliseconds: 1_000)
      }
    }
  }
}
