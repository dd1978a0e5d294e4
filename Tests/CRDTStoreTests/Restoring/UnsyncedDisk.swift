import CRDTStore

/// The file system of the machine, without waiting for its disk: for tests that open many
/// stores and cut no power.
struct UnsyncedDisk: FileSystem {
  let disk = DiskFileSystem()
  /// Whether all files look as if they were the same ones, as they do in an image of a whole
  /// disk that was put back.
  var hidesCopies = false

  func synchronize(_ file: OpenFile) throws(SystemError) {}

  func synchronizeNames(in folder: OpenFile) throws(SystemError) {}

  func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try disk.openFolder(at: path)
  }

  func makeFolder(at path: String) throws(SystemError) {
    try disk.makeFolder(at: path)
  }

  func open(
    _ name: String, in folder: OpenFile, for use: FileUse
  ) throws(SystemError) -> OpenFile {
    try disk.open(name, in: folder, for: use)
  }

  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    try disk.makeFolder(name, in: folder)
  }

  func close(_ file: OpenFile) {
    disk.close(file)
  }

  func size(of file: OpenFile) throws(SystemError) -> Int {
    try disk.size(of: file)
  }

  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    hidesCopies
      ? FileIdentity(number: 1, changeSeconds: 1, changeNanoseconds: 1)
      : try disk.identity(of: file)
  }

  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try disk.read(file, into: bytes, at: offset)
  }

  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try disk.write(file, bytes, at: offset)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    try disk.truncate(file, to: size)
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    try disk.rename(old, in: source, to: new, in: target)
  }

  func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    try disk.remove(name, in: folder)
  }

  func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try disk.names(in: folder)
  }

  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    try disk.lock(file, exclusively: exclusively)
  }

  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try disk.freeBytes(in: folder)
  }
}
