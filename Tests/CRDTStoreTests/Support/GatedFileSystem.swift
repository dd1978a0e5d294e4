import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A file system whose synchronizations wait for a test.
struct GatedFileSystem: ForwardingFileSystem {
  let base: SimulatedFileSystem
  /// Called before each synchronization of a file.
  let gate: @Sendable () -> Void

  func synchronize(_ file: OpenFile) throws(SystemError) {
    gate()
    try base.synchronize(file)
  }
}
