package import CRDTKit

/// What a delta means: take in the whole state it was taken from, if the events
/// that it leaves out have been seen.
package struct ReferenceDelta: Sendable {
  package let base: [ReplicaID: UInt64]
  package let state: ReferenceTable

  /// The delta of a state since a version.
  package init(of state: ReferenceTable, since version: [ReplicaID: UInt64]) {
    base = version.reduce(into: [:]) { base, entry in
      let known = min(entry.value, state.seen[entry.key, default: 0])
      if known > 0 { base[entry.key] = known }
    }
    self.state = state
  }
}

extension ReferenceTable {
  /// What becomes of a delta.
  package enum Outcome: Hashable, Sendable {
    case gap
    case known
    case new
  }

  /// What the delta would do here.
  package func outcome(of delta: ReferenceDelta) -> Outcome {
    if !hasSeen(delta.base) { return .gap }
    return hasSeen(delta.state.seen) ? .known : .new
  }

  /// Takes in a delta, unless there is a gap before it.
  package mutating func apply(_ delta: ReferenceDelta) -> Outcome {
    let outcome = outcome(of: delta)
    if outcome == .new { merge(delta.state) }
    return outcome
  }
}
