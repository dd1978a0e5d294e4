import CRDTStore

/// The disk's file system, with something taken out of it, or with pauses between
/// calls, so that processes are killed between any two of them.
struct TortureFileSystem: FileSystem {
  /// What is taken out, to see that its absence is noticed.
  enum Sabotage: String {
    /// Files are not made durable.
    case noFdatasync = "no-fdatasync"
    /// The names in folders are not made durable.
    case noFolderFsync = "no-folder-fsync"
  }

  var sabotage: Sabotage?
  var pauses = false
  private let disk = DiskFileSystem()

  init(sabotage: Sabotage?, pauses: Bool) {
    self.sabotage = sabotage
    self.pauses = pauses
  }

  private func rest() {
    guard pauses else { return }
    var random = SystemRandomNumberGenerator()
    let number = random.next()
    if number % 4 == 0 { System.pause(microseconds: UInt32(number >> 32) % 1_000) }
  }

  func openFolder(at path: String) throws(SystemError) -> OpenFile {
    rest()
    return try disk.openFolder(at: path)
  }

  func makeFolder(at path: String) throws(SystemError) {
    rest()
    try disk.makeFolder(at: path)
  }

  func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    rest()
    return try disk.open(name, in: folder, for: use)
  }

  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    rest()
    try disk.makeFolder(name, in: folder)
  }

  func close(_ file: OpenFile) {
    disk.close(file)
  }

  func size(of file: OpenFile) throws(SystemError) -> Int {
    try disk.size(of: file)
  }

  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    try disk.identity(of: file)
  }

  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try disk.read(file, into: bytes, at: offset)
  }

  /// Writes in two parts now and then, as the system may.
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    rest()
    guard pauses, bytes.count > 1 else { return try disk.write(file, bytes, at: offset) }
    var random = SystemRandomNumberGenerator()
    let part = Int.random(in: 1...bytes.count, using: &random)
    return try disk.write(file, UnsafeRawBufferPointer(rebasing: bytes[..<part]), at: offset)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    rest()
    try disk.truncate(file, to: size)
  }

  func synchronize(_ file: OpenFile) throws(SystemError) {
    rest()
    if sabotage != .noFdatasync { try disk.synchronize(file) }
  }

  func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    rest()
    if sabotage != .noFolderFsync { try disk.synchronizeNames(in: folder) }
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    rest()
    try disk.rename(old, in: source, to: new, in: target)
  }

  func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    rest()
    try disk.remove(name, in: folder)
  }

  func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try disk.names(in: folder)
  }

  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    rest()
    return try disk.lock(file, exclusively: exclusively)
  }

  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try disk.freeBytes(in: folder)
  }
}
