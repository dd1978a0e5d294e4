import CRDTKit

extension [String: Document.Value] {
  /// The changes that give a record these fields, of which it has none, or had others
  /// before it was deleted.
  func assignments(over old: [String: Document.Value] = [:]) -> [Document.FieldChange] {
    sorted { $0.key.comes(before: $1.key) }
      .map { Document.FieldChange([$0.key], .assign($0.value, before: old[$0.key])) }
  }
}
