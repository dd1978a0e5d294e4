import CRDTKit
import CRDTStore

extension SyncRequest {
  /// What to do about different documents, for the end of a message.
  static let joinHint = "; '--join' says that they do"
}

extension SyncReport {
  /// The documents that the other side has and the store hasn't.
  var otherDocuments: [DocumentID] {
    var found = findings.compactMap { finding in
      if case .otherDocument(let document) = finding.reason { document } else { nil }
    }
    if case .differentDocument(let document, _)? = failure { found.append(document) }
    return Array(Set(found)).sorted()
  }
}

extension StoreError {
  /// The documents that were found and aren't the store's.
  var otherDocuments: [DocumentID] {
    switch self {
    case .otherDocument(_, let found, _): [found]
    case .severalDocuments(_, let found): found
    default: []
    }
  }
}
