import CRDTKit

extension StoreCore {
  /// Checks a stamp from elsewhere, without taking note of it.
  func checkClock(_ stamp: HybridTimestamp) throws(ClockDriftError) {
    var clock = monitor.withLock { self.clock }
    try clock.receive(stamp, wallMilliseconds: options.clock.milliseconds)
  }

  /// Whether the segments that are kept reach back to a version.
  func hasHistory(since version: VersionVector) -> Bool {
    monitor.withLock { firstSegment(since: version) != nil }
  }

  /// The last segment that begins with nothing that a version hasn't seen.
  private func firstSegment(since version: VersionVector) -> UInt64? {
    files.versions.filter { version.contains($0.value) }.keys.max()
  }

  /// What was removed since a version, as far as the segments that are kept tell.
  func removalHistory(since version: VersionVector) throws(StoreError) -> RemovalHistory {
    // The files of another process may tell of more than was read of them.
    let isBesideWriter = monitor.withLock { self.folder?.isBesideWriter ?? false }
    if isBesideWriter { return RemovalHistory(since: version) }
    let folder = try holdFiles()
    defer { endCompaction() }
    guard let first = monitor.withLock({ firstSegment(since: version) }) else {
      return RemovalHistory(since: version)
    }
    let begin = monitor.withLock { files.versions[first] ?? [:] }
    var history = RemovalHistory(since: begin)
    var reader = BatchReader()
    var segment = first
    // What can't be read now is no worse than what was never kept: the history ends,
    // and the delta is made without it.
    while let bytes = try? folder.read(FileNames.segment(segment), in: folder.segments) {
      guard let scan = try? SegmentScan(bytes), scan.file.number == segment,
        scan.file.store == number, scan.file.isSealed || segment < manifest.firstSealedSegment
      else { break }
      for batch in scan.batches {
        var isMended = false
        do throws(BatchFailure) {
          guard let opened = try? folder.opened(batch, of: bytes, in: scan.file, at: path) else {
            return history
          }
          try reader.read(opened) { (record, _) in
            guard case .change(let delta, let forks) = record else { return }
            isMended = isMended || !forks.isEmpty
            history.append(delta)
          }
        } catch {
          return history
        }
        // What was removed before goes by other names since.
        if isMended { return RemovalHistory(since: begin) }
      }
      segment += 1
    }
    return history
  }
}
