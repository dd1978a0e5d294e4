package import CRDTKit

/// All that can be read from a document.
package struct DocumentReading: Hashable, Sendable {
  package var collections: [String]
  package var deleted: [String: [String]]
  package var fields: [String: [String: Document.Value]]
  package var alternatives: [String: [Document.Alternative]]
  package var conflicts: [Document.Conflict]

  /// Reads a document, the fields of its own names and of the samples'.
  package init(_ document: Document) {
    collections = document.collections
    conflicts = document.conflicts
    deleted = [:]
    fields = [:]
    alternatives = [:]
    let names = Set(collections).union(document.schema.collections.keys)
    for collection in names.sorted() {
      deleted[collection] = document.deletedRecords(in: collection)
      for record in document.records(in: collection) {
        let place = "\(collection)/\(record)"
        let found = document.fields(of: record, in: collection) ?? [:]
        fields[place] = found
        for path in Self.paths(of: found) {
          let sides = document.alternatives(of: path, of: record, in: collection)
          alternatives["\(place)/\(path)"] = sides
        }
      }
    }
  }

  /// The paths of fields and of those in them.
  private static func paths(of fields: [String: Document.Value]) -> [FieldPath] {
    fields.flatMap { name, value -> [FieldPath] in
      guard case .object(let inner) = value else { return [FieldPath([name])] }
      return [FieldPath([name])] + inner.keys.map { FieldPath([name, $0]) }
    }
  }
}
