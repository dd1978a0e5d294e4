extension Document.RowPayload: NamesReplicas {
  /// What the row says once a line of events has another name.
  @usableFromInline
  package func reissued(_ reissue: Reissue, isOwn: Bool) -> Self? {
    switch content {
    case .counter(let row):
      row.reissued(reissue, isOwn: isOwn).map { Self(.counter($0), at: time) }
    case .deletion(let seen):
      seen.reissued(reissue).map { Self(.deletion($0), at: time) }
    case .value, .revision, .object, .set, .member: nil
    }
  }

  @usableFromInline
  package var namedReplicas: ContiguousArray<ReplicaID> {
    switch content {
    case .counter(let row): row.namedReplicas
    case .deletion(let seen): ContiguousArray(seen.entries.lazy.map(\.replica))
    case .value, .revision, .object, .set, .member: []
    }
  }
}

extension VersionVector {
  /// What was seen once the events of a line have another name; `nil` where none of them
  /// was.
  fileprivate func reissued(_ reissue: Reissue) -> VersionVector? {
    let seen = self[reissue.replica]
    guard seen > reissue.parting else { return nil }
    var version = self
    version[reissue.replica] = reissue.parting
    version[reissue.name] = Swift.max(version[reissue.name], seen)
    return version
  }
}
