import CRDTKit

extension RelayExchange {
  /// Lets the store know what others have taken in, so that it waits for them before
  /// it removes for good what they haven't seen deleted.
  func notePeers() {
    let own = replica
    let retired = catalogue.retired()
    let newest = catalogue.newest
    for (replica, file) in newest
    where replica != own && catalogue.entries[file.key]?.forks.isEmpty ?? true {
      if retired.contains(replica) {
        forget(replica, at: file.key.sequence)
      } else {
        note(file)
      }
      heard[replica] = file.key.sequence
    }
  }

  private func note(_ file: RelayFile) {
    let replica = file.key.writer
    let now = core.options.clock.milliseconds
    let (record, version) = core.monitor.withLock {
      (
        core.identity.peers.first { $0.replica == replica },
        core.knownPart(of: file.version, toPeer: replica)
      )
    }
    var peer =
      record ?? PeerRecord(replica: replica, version: [:], lastContactMilliseconds: 0)
    let isNews =
      record.map { !$0.version.contains(version) }
      ?? false || heard[replica].map { $0 < file.key.sequence } ?? false
    // A file that was there when this began may be from long ago.
    let contact = isNews ? now : min(now, file.milliseconds)
    guard record == nil || isNews || contact > peer.lastContactMilliseconds else { return }
    let isRecorded = !peer.version.contains(version)
    peer.version.merge(version)
    peer.lastContactMilliseconds = max(peer.lastContactMilliseconds, contact)
    core.note(peer, isRecorded: isRecorded)
  }

  /// Waits no longer for a replica; once for each time that it was retired, since it
  /// may yet be in touch in another way.
  private func forget(_ replica: ReplicaID, at sequence: UInt64) {
    guard forgotten[replica] != sequence else { return }
    forgotten[replica] = sequence
    guard core.monitor.withLock({ core.identity.peers.contains { $0.replica == replica } }) else {
      return
    }
    // Where the store can't be written now, it goes on waiting, which does no harm.
    _ = try? core.forget(replica)
  }
}
