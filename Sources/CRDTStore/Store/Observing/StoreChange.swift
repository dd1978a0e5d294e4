public import CRDTKit

/// What commits have changed in a store's document.
public struct StoreChange: Sendable {
  /// Whether everything may have changed: so much did that it isn't listed.
  public var isUnlimited = false

  init(_ delta: TableDelta<Document>) {
    isUnlimited = true
  }

  mutating func merge(_ other: StoreChange) {
    isUnlimited = isUnlimited || other.isUnlimited
  }
}
