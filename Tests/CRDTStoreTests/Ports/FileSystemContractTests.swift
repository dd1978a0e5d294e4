import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("The contract of file systems")
struct FileSystemContractTests {
  @Test("The disk keeps it")
  func disk() async throws {
    let folder = try TemporaryFolder()
    let found = await FileSystemContract.check(DiskFileSystem(), in: folder.path)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("The simulated one keeps it")
  func simulated() async throws {
    let files = SimulatedFileSystem()
    try files.makeFolder(at: "/test")
    let found = await FileSystemContract.check(files, in: "/test")
    #expect(found.isEmpty, "\(found)")
    #expect(files.openCount == 0)
  }

  @Test("File systems that break it are found out")
  func broken() async throws {
    for flaw in BrokenFileSystem.Flaw.allCases {
      let files = SimulatedFileSystem()
      try files.makeFolder(at: "/test")
      let found = await impatiently {
        await FileSystemContract.check(BrokenFileSystem(flaw, files), in: "/test")
      }
      #expect(!found.isEmpty, "\(flaw)")
    }
  }
}

/// A file system with a flaw.
private struct BrokenFileSystem: FileSystem {
  enum Flaw: CaseIterable {
    case createsAnyway, oneIdentity, keepsTime, movesTime, wrongOffset, cutsNothing, removesNothing,
      copiesAtRename
    case alwaysLocks, neverLocks, sizesUp, makesAnyway, failsToSynchronize
  }

  let flaw: Flaw
  let inner: SimulatedFileSystem

  init(_ flaw: Flaw, _ inner: SimulatedFileSystem) {
    self.flaw = flaw
    self.inner = inner
  }

  func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try inner.openFolder(at: path)
  }

  func makeFolder(at path: String) throws(SystemError) {
    do throws(SystemError) { try inner.makeFolder(at: path) } catch {
      if flaw != .makesAnyway { throw error }
    }
  }

  func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    do throws(SystemError) { return try inner.open(name, in: folder, for: use) } catch {
      guard flaw == .createsAnyway, use == .creating else { throw error }
      return try inner.open(name, in: folder, for: .writing)
    }
  }

  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    try inner.makeFolder(name, in: folder)
  }

  func close(_ file: OpenFile) { inner.close(file) }

  func size(of file: OpenFile) throws(SystemError) -> Int {
    try inner.size(of: file) + (flaw == .sizesUp ? 1 : 0)
  }

  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    var identity = try inner.identity(of: file)
    switch flaw {
    case .oneIdentity: (identity.number, identity.changeSeconds) = (1, 1)
    case .keepsTime: identity.changeSeconds = 1
    case .movesTime: identity.changeSeconds = Int64(inner.callCount)
    default: break
    }
    return identity
  }

  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try inner.read(file, into: bytes, at: offset)
  }

  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try inner.write(file, bytes, at: flaw == .wrongOffset && offset == 10 ? 11 : offset)
  }

  func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    if flaw != .cutsNothing { try inner.truncate(file, to: size) }
  }

  func synchronize(_ file: OpenFile) throws(SystemError) {
    if flaw == .failsToSynchronize { throw SystemError("fdatasync", code: 5) }
    try inner.synchronize(file)
  }

  func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    try inner.synchronizeNames(in: folder)
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    try inner.rename(old, in: source, to: new, in: target)
    if flaw == .copiesAtRename { inner.close(try inner.open(old, in: source, for: .creating)) }
  }

  func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    if flaw != .removesNothing { try inner.remove(name, in: folder) }
  }

  func names(in folder: OpenFile) throws(SystemError) -> [String] { try inner.names(in: folder) }

  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    switch flaw {
    case .alwaysLocks: true
    case .neverLocks: false
    default: try inner.lock(file, exclusively: exclusively)
    }
  }

  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try inner.freeBytes(in: folder)
  }
}
