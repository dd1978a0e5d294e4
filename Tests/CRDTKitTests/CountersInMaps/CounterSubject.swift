import CRDTKit

/// Something that holds one counter, and can do with it what a schedule says.
protocol CounterSubject: TableBacked {
  static var empty: Self { get }

  /// The sum; `nil` where what there is isn't shown.
  var sum: Int64? { get }

  /// What is done with it; says whether it removed all that it saw before it counted.
  mutating func perform(
    _ action: CounterAction, by replica: ReplicaID, at time: UInt64, seenByAll: VersionVector
  ) throws -> Bool

  func decoded() throws -> Self
}

/// What a replica does with a counter.
enum CounterAction: Hashable {
  case count(Int64)
  case removeField, delete, restore
  case purge(isWaiting: Bool)
  case restoreOrphan, discardOrphan

  /// How much it adds.
  var amount: Int64 {
    if case .count(let amount) = self { amount } else { 0 }
  }
}

/// A map with a counter.
extension MergeMap: CounterSubject where Key == String, Value == PNCounter {
  static var empty: Self { Self() }
  var sum: Int64? { Int64(self["n"]?.value ?? 0) }

  mutating func perform(
    _ action: CounterAction, by replica: ReplicaID, at time: UInt64, seenByAll: VersionVector
  ) throws -> Bool {
    switch action {
    case .count(let amount):
      try update("n", by: replica) { counter in
        if amount < 0 {
          try counter.decrement(amount.magnitude)
        } else {
          try counter.increment(amount.magnitude)
        }
      }
      return false
    case .removeField, .delete: return removeValue(forKey: "n", by: replica)
    case .restore, .purge, .restoreOrphan, .discardOrphan: return false
    }
  }

  func decoded() throws -> Self { try Self(decoding: encoded()) }
}

/// A document with a record that has a counter, and only that.
extension Document: CounterSubject {
  static var empty: Self { Document(schema: counting) }

  private static var counting: Schema {
    Schema(collections: ["c": Schema.Collection(fields: ["n": .counter])])
  }

  var sum: Int64? {
    let fields =
      fields(of: "r", in: "c") ?? deletedFields(of: "r", in: "c")
      ?? orphanedRecord("r", in: "c")?.fields
    guard let fields else { return nil }
    if case .int(let sum)? = fields["n"] { return sum }
    return 0
  }

  mutating func perform(
    _ action: CounterAction, by replica: ReplicaID, at time: UInt64, seenByAll: VersionVector
  ) throws -> Bool {
    let isAbsent = !contains("r", in: "c") && deletion(of: "r", in: "c") == nil
    let orphan = orphanedRecord("r", in: "c")
    let stamp = HybridTimestamp(time: time << 16, replica: replica)
    var removes = false
    try edit(at: stamp) { edit in
      switch action {
      case .count(0): break
      case .count(let amount):
        // What is left of a record of the name goes when one is made anew.
        removes = isAbsent
        try edit.increment("n", of: "r", in: "c", by: amount)
      case .removeField: removes = edit.remove("n", of: "r", in: "c")
      case .delete: edit.delete("r", in: "c")
      case .restore: edit.restore("r", in: "c")
      case .purge(let isWaiting):
        removes = edit.purge(retention: .zero, seenByAll: isWaiting ? seenByAll : nil) > 0
      case .restoreOrphan: if let orphan { edit.restore(orphan) }
      case .discardOrphan: if let orphan { removes = edit.discard(orphan) }
      }
    }
    return removes
  }

  func decoded() throws -> Self { try Document(decoding: encoded(), schema: Self.counting) }
}
