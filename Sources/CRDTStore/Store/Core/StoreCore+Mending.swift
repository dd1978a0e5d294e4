import CRDTKit

extension StoreCore {
  /// Sees to what follows where forks were mended; the monitor is held.
  ///
  /// What peers were known to have of these replicas may be events of the other line. Where
  /// this store's own line goes by another name, the store writes on as another replica.
  func finishMending(_ mended: ContiguousArray<Mended>) {
    for place in identity.peers.indices {
      for mend in mended {
        let (replica, parting) = (mend.reissue.replica, mend.reissue.parting)
        guard identity.peers[place].version[replica] > parting else { continue }
        identity.peers[place].version[replica] = parting
        unrecordedPeers.insert(identity.peers[place].replica)
      }
    }
    recordPeers()
    for mend in mended {
      let fork = MendedFork(
        replica: mend.replica, name: mend.reissue.name, events: mend.events)
      // Each peer that comes with the old line has it mended once more.
      let isTold = mendedForks.contains {
        $0.replica == fork.replica && $0.name == fork.name && $0.events >= fork.events
      }
      guard !isTold else { continue }
      mendedForks.append(fork)
      tell(.mendedFork(fork))
    }
    if mended.contains(where: { $0.isMine && $0.replica.isName(of: identity.replica) }) {
      takeNewReplica()
    }
  }
}

extension StoreCore {
  /// Notes that replicas have written in two places, where nothing could be taken in yet that
  /// shows it.
  func noteForks(of replicas: Set<ReplicaID>) {
    guard !replicas.isEmpty else { return }
    monitor.withLock {
      for replica in replicas.sorted() {
        working.noteFork(of: replica)
        committed?.noteFork(of: replica)
      }
    }
  }
}

extension Document {
  /// Takes in a change of the log once more, as it was taken in.
  mutating func replay(
    _ delta: TableDelta<Document>, mending forks: ContiguousArray<ReplicaID>
  ) throws(DeltaError) {
    _ = try table.apply(delta.changes, mending: forks)
  }
}
