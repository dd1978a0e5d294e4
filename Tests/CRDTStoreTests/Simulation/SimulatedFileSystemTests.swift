import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("The simulated file system")
struct SimulatedFileSystemTests {
  private let files = SimulatedFileSystem(
    DiskImage(files: ["/a/f": [1, 2, 3, 4]], folders: ["/a/empty"]))

  /// The number of the error that a call fails with; 0 if it does not.
  private func code(_ call: () throws -> Void) -> Int32 {
    do {
      try call()
      return 0
    } catch {
      return (error as? SystemError)?.code ?? -1
    }
  }

  @Test("Files are read, written, cut and renamed")
  func use() throws {
    let folder = try files.openFolder(at: "/a")
    let file = try files.open("f", in: folder, for: .writing)
    #expect(try files.read(file) == [1, 2, 3, 4])
    #expect(try files.read(file, count: 2, at: 1) == [2, 3])
    #expect(try files.read(file, at: 4) == [])
    #expect(try files.write([9, 9], to: file, at: 6) == 2)
    #expect(try files.read(file) == [1, 2, 3, 4, 0, 0, 9, 9])
    try files.truncate(file, to: 3)
    try files.truncate(file, to: 5)
    #expect(try files.read(file) == [1, 2, 3, 0, 0])
    #expect(try files.size(of: file) == 5)
    let other = try files.open("g", in: folder, for: .creating)
    try files.write([7], to: other)
    try files.rename("g", in: folder, to: "f", in: folder)
    #expect(try files.names(in: folder).sorted() == ["empty", "f"])
    #expect(try files.read(file) == [1, 2, 3, 0, 0], "an open file outlives its name")
    #expect(files.seenImage["/a/f"] == [7])
    try files.remove("f", in: folder)
    #expect(files.seenImage.files == [:])
    #expect(files.misuses == [])
  }

  @Test("Errors have the numbers that a disk's have")
  func errors() throws {
    let root = try files.openFolder(at: "/")
    let folder = try files.openFolder(at: "/a/")
    let file = try files.open("f", in: folder, for: .reading)
    #expect(code { _ = try files.openFolder(at: "/b") } == ENOENT)
    #expect(code { _ = try files.openFolder(at: "/a/f") } == ENOTDIR)
    #expect(code { _ = try files.openFolder(at: "/a/f/g") } == ENOTDIR)
    #expect(code { try files.makeFolder(at: "/a") } == EEXIST)
    #expect(code { try files.makeFolder(at: "/b/c") } == ENOENT)
    #expect(code { try files.makeFolder("a", in: root) } == EEXIST)
    #expect(code { _ = try files.open("x", in: folder, for: .reading) } == ENOENT)
    #expect(code { _ = try files.open("f", in: folder, for: .creating) } == EEXIST)
    #expect(code { _ = try files.open("f", in: folder, for: .folder) } == ENOTDIR)
    #expect(code { _ = try files.open("a", in: root, for: .writing) } == EISDIR)
    #expect(code { _ = try files.open("f", in: file, for: .reading) } == ENOTDIR)
    #expect(code { _ = try files.size(of: folder) } == EINVAL)
    #expect(code { _ = try files.read(folder) } == EISDIR)
    #expect(code { try files.write([1], to: file) } == EBADF)
    #expect(code { try files.truncate(file, to: 0) } == EINVAL)
    #expect(code { try files.remove("a", in: root) } == EISDIR)
    #expect(code { try files.remove("x", in: root) } == ENOENT)
    #expect(code { try files.rename("x", in: root, to: "y", in: root) } == ENOENT)
    #expect(code { try files.rename("f", in: folder, to: "a", in: root) } == EISDIR)
    #expect(code { _ = try files.names(in: file) } == ENOTDIR)
    #expect(files.misuses == [])
  }

  @Test("A descriptor that was given back is a misuse")
  func misuse() throws {
    let folder = try files.openFolder(at: "/a")
    files.close(folder)
    #expect(files.openCount == 0)
    #expect(code { _ = try files.names(in: folder) } == EBADF)
    files.close(folder)
    #expect(files.misuses.count == 2)
  }

  @Test("A killed process gives back its descriptors and locks, and reaches nothing more")
  func killedProcess() throws {
    let folder = try files.openFolder(at: "/a")
    let file = try files.open("f", in: folder, for: .writing)
    #expect(try files.lock(file, exclusively: true))
    files.callMax = files.callCount
    #expect(code { _ = try files.size(of: file) } == EIO)
    files.killProcess()
    #expect(files.openCount == 0)
    #expect(code { try files.write([9], to: file) } == EBADF)
    files.close(folder)
    #expect(files.misuses == [], "its calls come too late, but are no mistake")
    let next = try files.open("f", in: files.openFolder(at: "/a"), for: .locking)
    #expect(try files.lock(next, exclusively: true))
    #expect(try files.read(next) == [1, 2, 3, 4])
  }

  @Test("A lock is shared or exclusive, and held until its file is closed")
  func locks() throws {
    let folder = try files.openFolder(at: "/a")
    let first = try files.open("LOCK", in: folder, for: .locking)
    let second = try files.open("LOCK", in: folder, for: .locking)
    #expect(try files.lock(first, exclusively: true))
    #expect(try files.lock(second, exclusively: true) == false)
    #expect(try files.lock(second, exclusively: false) == false)
    #expect(try files.lock(first, exclusively: false))
    #expect(try files.lock(second, exclusively: false))
    #expect(try files.lock(first, exclusively: true) == false)
    #expect(try files.lock(second, exclusively: true), "a change of kind gives the lock up")
    files.close(second)
    #expect(try files.lock(first, exclusively: true))
    // On a machine that was started anew, no lock is held.
    let after = SimulatedFileSystem(files.seenImage)
    let file = try after.open("LOCK", in: after.openFolder(at: "/a"), for: .locking)
    #expect(try after.lock(file, exclusively: true))
  }

  @Test("A full disk takes what fits, then nothing")
  func capacity() throws {
    let folder = try files.openFolder(at: "/a")
    files.capacity = 10
    #expect(try files.freeBytes(in: folder) == 6)
    let file = try files.open("g", in: folder, for: .creating)
    #expect(try files.write([UInt8](repeating: 1, count: 8), to: file) == 6)
    #expect(code { try files.write([1], to: file, at: 6) } == ENOSPC)
    #expect(try files.write([2], to: file, at: 5) == 1, "what is there can be overwritten")
    try files.remove("f", in: folder)
    #expect(try files.write([1, 1], to: file, at: 6) == 2)
    files.freeBytes = 3
    #expect(try files.freeBytes(in: folder) == 3)
  }

  @Test("What is read-only changes in no way")
  func readOnly() throws {
    files.isReadOnly = true
    let folder = try files.openFolder(at: "/a")
    #expect(code { _ = try files.open("f", in: folder, for: .writing) } == EROFS)
    #expect(code { _ = try files.open("g", in: folder, for: .locking) } == EROFS)
    #expect(code { try files.makeFolder("g", in: folder) } == EROFS)
    #expect(code { try files.remove("f", in: folder) } == EROFS)
    #expect(try files.read(files.open("f", in: folder, for: .reading)) == [1, 2, 3, 4])
  }

  @Test("Faults hit the calls that they are for, once or for ever")
  func faults() throws {
    let folder = try files.openFolder(at: "/a")
    let file = try files.open("f", in: folder, for: .writing)
    files.schedule(DiskFault(.fails(EIO), kind: .size, number: 2))
    let codes = (0..<3).map { _ in code { _ = try files.size(of: file) } }
    #expect(codes == [0, EIO, 0])
    files.schedule(DiskFault(.fails(ENOSPC), number: 2, isForever: true))
    #expect((0..<3).map { _ in code { try files.write([5], to: file) } } == [0, ENOSPC, ENOSPC])
    #expect(files.calls.last?.description == "pwrite f 1 failed: ENOSPC")
    files.clearFaults()
    files.schedule(DiskFault(.isShort(2), kind: .read))
    #expect(try files.read(file) == [5, 2])
    files.schedule(DiskFault(.isShort(0), kind: .write))
    #expect(try files.write([8, 8], to: file) == 1)
    files.schedule(DiskFault(.failsDone(EIO)))
    #expect(code { try files.write([7], to: file) } == EIO)
    #expect(try files.read(file) == [7, 2, 3, 4])
  }

  @Test("Calls come to an end")
  func callMax() throws {
    files.callMax = 2
    let folder = try files.openFolder(at: "/a")
    _ = try files.names(in: folder)
    #expect(code { _ = try files.names(in: folder) } == EIO)
  }
}
