import CRDTKit

/// What a store keeps for itself beside the document, by name: operations that wait
/// to be sent, what the server has acknowledged, records kept here alone, settings.
///
/// Nothing of it is told to other replicas. It changes together with the document:
/// a commit holds both or neither.
typealias LocalValues = [String: [UInt8]]

extension LocalValues {
  mutating func apply(_ changes: [LocalChange]) {
    for change in changes { self[change.key] = change.value }
  }

  /// All values, as changes of none, in the order of their names.
  var listed: [LocalChange] {
    sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { LocalChange(key: $0.key, value: $0.value) }
  }
}
