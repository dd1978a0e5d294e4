#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// Files and folders beside those of a store.
enum Files {
  static func makeFolder(_ path: String) throws(System.Failure) {
    _ = try System.check("mkdir \(path)", mkdir(path, 0o700))
  }

  /// A new folder of a name that nothing else has.
  static func makeTemporaryFolder(in parent: String) throws(System.Failure) -> String {
    var template = Array("\(parent)/crdt-torture.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw System.Failure(call: "mkdtemp in \(parent)", code: errno)
    }
    return template.withUnsafeBufferPointer { name in
      name.baseAddress.map { String(cString: $0) } ?? parent
    }
  }

  static func exists(_ path: String) -> Bool {
    access(path, F_OK) == 0
  }

  /// How many bytes a file has; 0 where there is none.
  static func size(of path: String) -> Int {
    var facts = stat()
    return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
  }

  static func remove(_ path: String) {
    unlink(path)
  }

  /// Removes a folder and all that is in it.
  static func removeFolder(_ path: String) throws {
    try Child.run("rm", "-rf", "--one-file-system", path)
  }

  static func append(_ bytes: [UInt8], to descriptor: Int32) throws(System.Failure) {
    let count = try System.check("write", write(descriptor, bytes, bytes.count))
    guard count == bytes.count else { throw System.Failure(call: "write", code: EIO) }
  }

  /// Makes a text all that a file has.
  static func replaceText(of path: String, by text: String) {
    guard let file = try? openForWriting(path) else { return }
    defer { close(file) }
    try? append(Array(text.utf8), to: file)
  }

  /// Opens a file that only grows.
  static func openForAppending(_ path: String) throws(System.Failure) -> Int32 {
    try System.check("open \(path)", open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
  }

  /// Makes or empties a file, and opens it.
  static func openForWriting(_ path: String) throws(System.Failure) -> Int32 {
    try System.check(
      "open \(path)", open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600))
  }

  static func close(_ descriptor: Int32) {
    #if canImport(Darwin)
    Darwin.close(descriptor)
    #elseif canImport(Musl)
    Musl.close(descriptor)
    #else
    Glibc.close(descriptor)
    #endif
  }

  /// The last bytes of a file, up to a number; none where there is no file.
  static func tail(of path: String, max: Int) throws(System.Failure) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    let size = Int(try System.check("lseek", lseek(file, 0, SEEK_END)))
    let start = Swift.max(0, size - max)
    var bytes = [UInt8](repeating: 0, count: size - start)
    let count = try System.check(
      "pread", bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, off_t(start)) })
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// A small file as text; empty where there is none.
  static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Copies the bytes of a file.
  static func copy(_ source: String, to target: String) throws(System.Failure) {
    let from = try System.check("open \(source)", open(source, O_RDONLY | O_CLOEXEC))
    defer { close(from) }
    let to = try openForWriting(target)
    defer { close(to) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = try System.check("read", read(from, &buffer, buffer.count))
      if count == 0 { return }
      var done = 0
      while done < count {
        let written = buffer[done..<count].withUnsafeBytes { write(to, $0.baseAddress, $0.count) }
        done += try System.check("write", written)
      }
    }
  }

  /// Makes a file of zeros, which takes no room yet.
  static func makeEmptyImage(_ path: String, size: Int) throws(System.Failure) {
    let file = try openForWriting(path)
    defer { close(file) }
    _ = try System.check("ftruncate", ftruncate(file, off_t(size)))
  }

  /// Fills a disk with a file until only some bytes are free.
  static func leave(_ bytes: Int, at folder: String, _ ballast: String) throws(System.Failure) {
    let file = try openForWriting(ballast)
    defer { close(file) }
    let block = [UInt8](repeating: 0xA5, count: 4_096)
    while try freeBytes(at: folder) > bytes {
      // What counts as free may not all be to be had.
      if write(file, block, block.count) != block.count { return }
    }
  }

  /// How many bytes are free on the disk that holds a path.
  static func freeBytes(at path: String) throws(System.Failure) -> Int {
    var facts = statvfs()
    _ = try System.check("statvfs", statvfs(path, &facts))
    return Int(facts.f_bavail) * Int(facts.f_frsize)
  }

  /// The names in a folder; none where there is no folder.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee))
        {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a file or the names in a folder durable.
  static func synchronize(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    fsync(file)
    close(file)
  }
}
