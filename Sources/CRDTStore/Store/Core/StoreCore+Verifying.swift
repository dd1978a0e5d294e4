import CRDTKit

extension StoreCore {
  /// Reads all files while the store is open.
  func verify() throws(StoreError) -> VerificationReport {
    let folder = try holdFiles()
    defer { endCompaction() }
    var verifier = StoreVerifier(folder)
    var report = try verifier.run()
    // What is being written now isn't whole yet.
    report.bytesUnfinished = 0
    return report
  }

  /// Keeps files from being replaced and the folder from being closed, until
  /// ``endCompaction()``.
  func holdFiles() throws(StoreError) -> StoreFolder {
    monitor.lock()
    defer { monitor.unlock() }
    while isCompacting { monitor.wait(for: .done) }
    guard let folder, !isClosing else { throw .closed(path: path) }
    guard !folder.isBesideWriter else { throw .locked(path: path) }
    isCompacting = true
    return folder
  }
}
