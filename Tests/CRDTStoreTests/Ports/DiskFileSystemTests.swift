import CRDTStore
import Testing

@Suite("The disk's file system")
struct DiskFileSystemTests {
  @Test("A folder that is not there is an error with the call's name and number")
  func missingFolder() {
    #expect(throws: SystemError("open", code: 2)) {
      _ = try DiskFileSystem().openFolder(at: "/nonexistent")
    }
  }
}
