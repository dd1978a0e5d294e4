/// When what an authority says was written, if the authority says nothing of that.
extension Document.Editor {
  /// The time just before all unseen writes of a replica to a record; `nil` if there are
  /// none.
  ///
  /// - Complexity: Expected O(rows of the record).
  package mutating func timeBeforeUnseen(
    of record: String, in collection: String, by own: ReplicaID
  ) -> UInt64? {
    timeBeforeUnseen(
      in: Document.Place(record: record, in: collection, near: self.record), [], by: own)
  }

  /// The same for a field of a record, and for the record's deletion.
  mutating func timeBeforeUnseen(of target: Target, by own: ReplicaID) -> UInt64? {
    let others =
      table.dotsForChange(of: target.key)
      + table.dotsForChange(of: Document.RowKey(target.place, .deletion))
    return timeBeforeUnseen(in: target.beneath, others, by: own)
  }

  /// The time of the authority's last write to a field that is still there; 0 if there is
  /// none.
  func timeOfAuthority(
    at target: Target, in former: DotTable<Document.RowKey, Document.RowPayload>?
  ) -> UInt64 {
    let authority = replica.principal
    let table = former ?? table
    return table.dots(of: target.key).lazy
      .filter { $0.replica.principal == authority }
      .compactMap { table.row(at: $0)?.payload.time }.max() ?? 0
  }

  private mutating func timeBeforeUnseen(
    in place: Document.Place, _ others: ContiguousArray<Dot>, by own: ReplicaID
  ) -> UInt64? {
    table.prepareGroups()
    var least: UInt64?
    for dot in others + table.dots(under: place.hash, where: { $0.place.isWithin(place) })
    where dot.replica == own && !sees(dot) {
      guard let time = table.row(at: dot)?.payload.time else { continue }
      least = min(least ?? time, time)
    }
    return least.map { $0 > 0 ? $0 - 1 : 0 }
  }
}
