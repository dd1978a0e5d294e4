import CRDTKit

extension Store {
  /// Reads all files of the store and checks every byte; others go on meanwhile.
  ///
  /// - Complexity: O(size of all files).
  public nonisolated(nonsending) func verify() async throws(StoreError) -> VerificationReport {
    let core = core
    return try await StoreThread.run { () throws(StoreError) in try core.verify() }
  }
}
