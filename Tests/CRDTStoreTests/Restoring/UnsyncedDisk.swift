import CRDTStore
import CRDTTestSupport

/// The file system of the machine, without waiting for its disk: for tests that open many
/// stores and cut no power.
struct UnsyncedDisk: ForwardingFileSystem {
  let base = DiskFileSystem()
  /// Whether all files look as if they were the same ones, as they do in an image of a whole
  /// disk that was put back.
  var hidesCopies = false

  func synchronize(_ file: OpenFile) throws(SystemError) {}

  func synchronizeNames(in folder: OpenFile) throws(SystemError) {}

  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    hidesCopies
      ? FileIdentity(number: 1, changeSeconds: 1, changeNanoseconds: 1)
      : try base.identity(of: file)
  }
}
