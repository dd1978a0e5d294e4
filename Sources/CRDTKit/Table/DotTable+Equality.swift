extension DotTable: Equatable {
  /// Whether both have seen the same events and hold the same rows.
  ///
  /// Rows are the same where they are `==` or have the same canonical form: a NaN
  /// equals itself here.
  ///
  /// - Complexity: O(rows that are not in shared pages).
  @inlinable
  public static func == (left: DotTable, right: DotTable) -> Bool {
    left.rowCount == right.rowCount && left.columns.count == right.columns.count
      && zip(left.columns, right.columns).allSatisfy { $0.isSame(as: $1) }
  }
}

extension DotTable: Hashable {
  /// Takes in the version and the number of rows, which say it all: tables that
  /// have seen the same events hold the same rows.
  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(rowCount)
    hasher.combine(version)
  }
}

extension Column {
  @inlinable
  func isSame(as other: Column) -> Bool {
    guard replica == other.replica, seen == other.seen, rowCount == other.rowCount,
      origin != other.origin || fingerprint == other.fingerprint
    else { return false }
    if sharesSheets(with: other) { return true }
    var mine = RowCursor(self)
    var theirs = RowCursor(other)
    while mine.advance(), theirs.advance() {
      if mine.skipPage(sharedWith: theirs) {
        theirs.skipPage()
        continue
      }
      guard mine.counter == theirs.counter, mine.row.isSame(as: theirs.row) else { return false }
    }
    return true
  }
}

extension Row {
  @inlinable
  func isSame(as other: Row) -> Bool {
    let hasSameKey = KeyIdentity.areSame(key, other.key) || key.hasSameForm(as: other.key)
    return hasSameKey && payload.hasSameForm(as: other.payload)
  }
}
