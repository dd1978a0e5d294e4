extension TableDelta where Value == Document {
  /// The greatest stamp of what is new in the delta; `nil` if nothing in it has one.
  ///
  /// Let the replica's clock receive it before the delta is taken in: a stamp from
  /// a clock far ahead is refused there, and later stamps are greater than all
  /// that the delta brings.
  ///
  ///     if let latest = delta.latestTimestamp {
  ///       try clock.receive(latest, wallMilliseconds: wall)
  ///     }
  ///     try notes.apply(delta)
  ///
  /// - Complexity: O(rows of the delta).
  public var latestTimestamp: HybridTimestamp? {
    var latest: HybridTimestamp?
    for column in changes.columns {
      column.forEachRow { _, row in
        let stamp = HybridTimestamp(time: row.payload.time, replica: column.replica)
        if let found = latest, found >= stamp { return }
        latest = stamp
      }
    }
    return latest
  }
}

extension Document {
  /// The greatest stamp of all that the document holds; `nil` if it holds nothing.
  ///
  /// Let the clock of a replica that begins with a copy of the document receive
  /// it.
  ///
  /// - Complexity: O(number of rows).
  public var latestTimestamp: HybridTimestamp? {
    delta(since: [:]).latestTimestamp
  }
}
