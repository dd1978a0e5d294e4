/// What a replica had seen when it made an edit's last event.
///
/// Whoever has that event has seen all of this, since states are causally
/// closed: so the next edit's delta need not list it again.
@frozen
@usableFromInline
package struct EditMark: Sendable {
  @usableFromInline let dot: Dot
  @usableFromInline let version: VersionVector

  @inlinable
  init(dot: Dot, version: VersionVector) {
    self.dot = dot
    self.version = version
  }

  /// As few entries of a version as say that all of it has been seen.
  @inlinable
  func compacted(_ version: VersionVector) -> VersionVector {
    guard version[dot.replica] == dot.counter else { return version }
    var base = VersionVector(
      sortedEntries: version.entries.filter { self.version[$0.replica] != $0.counter }
    )
    base[dot.replica] = dot.counter
    return base
  }
}
