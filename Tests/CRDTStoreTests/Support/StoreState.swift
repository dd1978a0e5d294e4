import CRDTKit

/// What a store holds at one moment.
struct StoreState: Equatable, Sendable {
  var document = Document()
  /// Who writes; `nil` where there is no store yet.
  var replica: ReplicaID?
  var schemaVersion: UInt64 = 0

  init(document: Document = Document(), replica: ReplicaID? = nil) {
    self.document = document
    self.replica = replica
  }

  /// The same events and the same rules.
  static func == (left: Self, right: Self) -> Bool {
    left.replica == right.replica && left.schemaVersion == right.schemaVersion
      && left.document == right.document && left.document.schema == right.document.schema
  }
}

extension StoreState: CustomStringConvertible {
  var description: String {
    "\(replica?.rawValue ?? 0) at version \(schemaVersion), \(document.version), rules of "
      + "\(document.schema.collections.keys.sorted())"
  }
}
