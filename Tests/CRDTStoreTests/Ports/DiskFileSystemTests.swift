import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("The disk's file system")
struct DiskFileSystemTests {
  @Test("A folder that is not there is an error with the call's name and number")
  func missingFolder() {
    #expect(throws: SystemError("open", code: 2)) {
      _ = try DiskFileSystem().openFolder(at: "/nonexistent")
    }
  }

  @Test("A file is closed once: its number may be another file's by then")
  func closedTwice() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let files = DiskFileSystem()
      let folder = try files.openFolder(at: "/")
      let copy = folder
      files.close(folder)
      files.close(copy)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(isOptimized || said.contains("was closed before"))
  }

  @Test("A store's folder that other users may write is told of, and one it makes never is")
  func folderOfOthers() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/store"
    var options = Store.Options()
    let store = try Store.open(at: path, options: options)
    #expect(!store.recovery.isWritableByOthers)
    try store.close()
    // In a folder with the sticky bit, others can't rename or remove files.
    for (permissions, isTold) in [(0o777, true), (0o775, false), (0o1777, false), (0o702, true)] {
      try folder.setPermissions(permissions, of: "store")
      options.access = .readOnly
      let reader = try Store.open(at: path, options: options)
      #expect(reader.recovery.isWritableByOthers == isTold, "\(permissions)")
      try reader.close()
    }
    for (owner, user, isTold) in [(7, 7, false), (8, 7, true), (0, 7, false), (7, 0, false)]
      as [(UInt32, UInt32, Bool)]
    {
      #expect(DiskFileSystem.isWritableByOthers(0o700, owner: owner, user: user) == isTold)
    }
  }
}
