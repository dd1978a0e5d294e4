package import CRDTKit

extension Document.Value {
  /// The value with its numbers in the kinds that they have in another value, where
  /// they are worth the same.
  ///
  /// JSON has one kind of number, so that a server gives 2 for what was 2.0 here: that
  /// is no change.
  ///
  /// - Complexity: O(size of the value).
  package func takingKinds(of known: Document.Value) -> Document.Value {
    switch (self, known) {
    case (.int(let number), .double(let other)):
      Int64(exactly: other) == number ? known : self
    case (.double(let number), .int(let other)):
      Int64(exactly: number) == other ? known : self
    case (.array(let values), .array(let others)) where values.count == others.count:
      .array(zip(values, others).map { $0.takingKinds(of: $1) })
    case (.object(let fields), .object(let others)):
      .object(
        Dictionary(
          fields.map { name, value in
            (name, others[name].map { value.takingKinds(of: $0) } ?? value)
          }, uniquingKeysWith: { $1 }))
    default: self
    }
  }

  /// Whether the values are the same, whichever kinds their numbers have.
  func isWorth(_ other: Document.Value) -> Bool { takingKinds(of: other) == other }
}
