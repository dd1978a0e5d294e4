/// The version of what an outbox and a server say to each other: of ``OperationEnvelope``,
/// ``OperationAnswer``, ``PullRequest``, ``PullPage`` and ``ServerRecord``.
///
/// Each says it in its member `schemaVersion`; without one, it is what this version reads.
enum ServerFormatVersion {
  /// What is written, and the newest that is read.
  ///
  /// In version 1, moments were objects of a member `$timestamp`, and decimals what their
  /// type keeps.
  static let current = 2
}

extension KeyedDecodingContainer {
  /// Refuses what a newer version has written.
  func requireKnownVersion(_ key: Key, of what: String) throws {
    let version = try decodeIfPresent(Int.self, forKey: key) ?? ServerFormatVersion.current
    guard (1...ServerFormatVersion.current).contains(version) else {
      throw DecodingError.dataCorruptedError(
        forKey: key, in: self,
        debugDescription: "\(what) is of schema version \(version), and this version of "
          + "CRDTStore reads 1 to \(ServerFormatVersion.current): update the app.")
    }
  }
}
