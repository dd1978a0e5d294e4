package import CRDTKit

extension DotTable {
  /// What is wrong with the table, as far as it shows from outside its pages.
  ///
  /// ``checkEveryInvariant()`` traps where this says what was found, and goes
  /// deeper; it is called last.
  package func checkSoundness() throws(Discrepancy) {
    var found: [Dot] = []
    var keys: [Key] = []
    forEachRow { dot, row in
      found.append(dot)
      keys.append(row.key)
    }
    try check(found.count == rowCount, "\(rowCount) rows are counted, \(found.count) are there")
    try check(zip(found, found.dropFirst()).allSatisfy { $0 < $1 }, "rows are out of order")
    for dot in found {
      try check(row(at: dot) != nil, "the row at \(dot) is not found")
      try check(seen(of: dot.replica) >= dot.counter, "the row at \(dot) was never seen")
    }
    checkEveryInvariant()
  }
}
