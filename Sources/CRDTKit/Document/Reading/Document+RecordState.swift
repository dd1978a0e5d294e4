extension Document {
  /// What rows say of a record as a whole.
  enum RecordState {
    /// There is no such record, or none any more.
    case absent
    case present
    /// Deleted, at the latest by the stamp.
    case deleted(HybridTimestamp)

    var isPresent: Bool {
      if case .present = self { true } else { false }
    }
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// Whether a record is there, or was deleted.
  ///
  /// A change that no deletion had seen counts against it under the collection's
  /// rule; what deletions had seen does not. What the reader has not seen, if it has
  /// not seen all, is as if it weren't there.
  func state(
    of record: Document.Place, under rule: DeletionRule, seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> Document.RecordState {
    let existence = Document.RowKey(record, .existence)
    let exists = isSeen.map { dots(of: existence).contains(where: $0) } ?? contains(existence)
    return exists ? stateOfContent(of: record, under: rule, seeing: isSeen) : .absent
  }

  /// Whether what there is of a record was deleted, as if a row said that it exists.
  func stateOfContent(
    of record: Document.Place, under rule: DeletionRule, seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> Document.RecordState {
    var deletions = dots(of: Document.RowKey(record, .deletion))
    if let isSeen { deletions.removeAll { !isSeen($0) } }
    guard !deletions.isEmpty else { return .present }
    return state(of: record, deletions: deletions, under: rule, seeing: isSeen)
  }

  private func state(
    of record: Document.Place, deletions: ContiguousArray<Dot>, under rule: DeletionRule,
    seeing isSeen: ((Dot) -> Bool)?
  ) -> Document.RecordState {
    var versions: [VersionVector] = []
    var latest: HybridTimestamp?
    for dot in deletions {
      guard let payload = row(at: dot)?.payload else { continue }
      let stamp = HybridTimestamp(time: payload.time, replica: dot.replica)
      latest = Swift.max(latest ?? stamp, stamp)
      if case .deletion(let version) = payload.content { versions.append(version) }
    }
    guard let latest else { return .present }
    if rule == .deleteWins { return .deleted(latest) }
    let seen = VersionVector(mergingAll: versions)
    let changes = dots(under: record.hash) { $0.part != .deletion && $0.place.isWithin(record) }
      .filter { dot in
        !seen.contains(dot) && row(at: dot)?.payload.content.isTrace == false
          && isSeen.map { $0(dot) } ?? true
      }
    if rule == .updateWins { return changes.isEmpty ? .deleted(latest) : .present }
    let isOutlived = changes.contains { dot in
      row(at: dot).map { HybridTimestamp(time: $0.payload.time, replica: dot.replica) > latest }
        ?? false
    }
    return isOutlived ? .present : .deleted(latest)
  }
}
