/// A record, by the names that lead to it.
package struct DocumentRecord: Hashable, Sendable {
  package let collection: String
  package let name: String

  package init(_ name: String, in collection: String) {
    self.name = name
    self.collection = collection
  }
}

extension DocumentRecord: CustomStringConvertible {
  package var description: String { "\(collection)/\(name)" }
}
