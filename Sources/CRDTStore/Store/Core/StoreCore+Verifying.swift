import CRDTKit

extension StoreCore {
  /// Reads all files while the store is open.
  func verify() throws(StoreError) -> VerificationReport {
    // Nothing is removed meanwhile.
    monitor.lock()
    while isCompacting { monitor.wait(for: .done) }
    guard let folder, !isClosing else {
      monitor.unlock()
      throw .closed(path: path)
    }
    isCompacting = true
    monitor.unlock()
    defer { endCompaction() }
    var verifier = StoreVerifier(folder)
    var report = try verifier.run()
    // What is being written now isn't whole yet.
    report.bytesUnfinished = 0
    return report
  }
}
