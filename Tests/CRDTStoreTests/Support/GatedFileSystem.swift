import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A file system whose synchronizations wait for a test.
struct GatedFileSystem: FileSystem {
  let files: SimulatedFileSystem
  /// Called before each synchronization of a file.
  let gate: @Sendable () -> Void

  func synchronize(_ file: OpenFile) throws(SystemError) {
    gate()
    try files.synchronize(file)
  }

  func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try files.openFolder(at: path)
  }

  func makeFolder(at path: String) throws(SystemError) {
    try files.makeFolder(at: path)
  }

  func open(
    _ name: String, in folder: OpenFile, for use: FileUse
  ) throws(SystemError) -> OpenFile {
    try files.open(name, in: folder, for: use)
  }

  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    try files.makeFolder(name, in: folder)
  }

  func close(_ file: OpenFile) {
    files.close(file)
  }

  func size(of file: OpenFile) throws(SystemError) -> Int {
    try files.size(of: file)
  }

  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    try files.identity(of: file)
  }

  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try files.read(file, into: bytes, at: offset)
  }

  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try files.write(file, bytes, at: offset)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    try files.truncate(file, to: size)
  }

  func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    try files.synchronizeNames(in: folder)
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    try files.rename(old, in: source, to: new, in: target)
  }

  func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    try files.remove(name, in: folder)
  }

  func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try files.names(in: folder)
  }

  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    try files.lock(file, exclusively: exclusively)
  }

  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try files.freeBytes(in: folder)
  }
}
