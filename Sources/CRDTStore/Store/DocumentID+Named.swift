public import CRDTKit

extension DocumentID {
  /// The identifier that a name stands for, such as that of a user's account: the same name
  /// gives the same one everywhere.
  ///
  ///     var options = StoreOptions()
  ///     options.documentID = DocumentID(named: "account-42")
  ///
  /// So stores that were all written before they first met are copies of one document. Use
  /// a name that nobody else's document has. Names with different bytes are different,
  /// however alike they read. The identifier is the first half of the digest SHA-256 of the
  /// bytes `document`, a zero byte, and the name's in UTF-8.
  ///
  /// - Complexity: O(length of the name).
  public init(named name: String) {
    let bytes = Array("document".utf8) + [0] + Array(name.utf8)
    let digest = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
    self.init(high: digest.first, low: digest.second)
  }
}
