import CRDTKit

/// A replicated value that counts its events: what a neighbour sends, it has
/// seen, and need not be told.
final class SharedTable<Value: TableBacked>: Shared<Value> {
  override var versionVector: VersionVector? { value.version }

  override func learn(from delta: TableDelta<Value>, of neighbour: Int) {
    note(seen(by: neighbour).merging(delta.version), of: neighbour)
  }
}
