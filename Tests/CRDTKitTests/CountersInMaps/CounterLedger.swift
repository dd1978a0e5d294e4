import CRDTKit

/// What was counted, in its plainest form: events that say how much, and removals that
/// say which of these they saw.
///
/// The sum is that of the counts that are known and that no known removal had seen.
struct CounterLedger {
  struct Name: Hashable {
    let replica: Int
    let number: Int
  }

  private var counts: [Name: Int64] = [:]
  private var removals: [Name: Set<Name>] = [:]

  private func nextName(of replica: Int) -> Name {
    let names = [counts.keys.map { $0 }, removals.keys.map { $0 }].joined()
    return Name(replica: replica, number: names.count { $0.replica == replica })
  }

  mutating func count(_ amount: Int64, by replica: Int) {
    counts[nextName(of: replica)] = amount
  }

  /// Removes just what is known.
  mutating func remove(by replica: Int) {
    removals[nextName(of: replica)] = Set(counts.keys)
  }

  mutating func merge(_ other: CounterLedger) {
    counts.merge(other.counts) { own, _ in own }
    removals.merge(other.removals) { own, _ in own }
  }

  var sum: Int64 {
    let removed = removals.values.reduce(into: Set()) { $0.formUnion($1) }
    return counts.lazy.filter { !removed.contains($0.key) }.reduce(0) { $0 + $1.value }
  }
}
