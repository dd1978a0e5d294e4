import CRDTKit

/// What is done where two places have written as one replica, or copies differ: who sees it
/// publishes all events of the replica once; whoever takes these in mends.
extension RelayExchange {
  /// Finds the files whose writers had other events than this store under some names, or
  /// other contents.
  ///
  /// They are noted in the document (`TableBacked.forks`). What the store holds is worked out
  /// only where a file is of the same version.
  func lookForForks() {
    let document = core.monitor.withLock { core.working }
    let version = document.version
    var digest: ShortDigest?
    for (key, entry) in catalogue.entries {
      var entry = entry
      entry.forks =
        entry.file.heads.map { document.forks(from: $0) }
        ?? document.forks(fromFormat1: entry.file.version)
      entry.differs = false
      if let theirs = entry.file.digest, entry.forks.isEmpty, entry.file.version == version {
        digest = digest ?? document.contentDigest.short
        entry.differs = theirs != digest
      }
      catalogue.entries[key] = entry
    }
    let found = catalogue.entries.values.flatMap(\.forks)
    let told = catalogue.newest.values.flatMap { $0.wanted.map(\.replica) }
    core.noteForks(of: Set(found + told.filter { version[$0] > 0 }))
  }

  /// Since which version a delta is to be published with which others can mend what has
  /// parted; `nil` where nothing has, or it is there.
  func baseToMend(for version: VersionVector) -> VersionVector? {
    if catalogue.entries.values.contains(where: { $0.differs }) {
      // Whose line gives way has to see the other's; so both are needed.
      let digest = core.monitor.withLock { core.working.contentDigest.short }
      let isThere = catalogue.deltas.contains {
        $0.file.base.isEmpty && $0.file.version == version && $0.file.digest == digest
      }
      return isThere ? nil : [:]
    }
    let forked = Set(catalogue.entries.values.flatMap(\.forks))
    let unmended = forked.filter { replica in
      !catalogue.deltas.contains {
        $0.file.base[replica] == 0 && $0.file.version[replica] == version[replica]
      }
    }
    var (base, whole) = (version, unmended)
    for file in catalogue.newest.values {
      for known in file.wanted where wantsMore(known, than: version) {
        // It may have been refused all else that came with those events.
        base = base.common(with: file.version)
        whole.insert(known.replica)
      }
    }
    guard !whole.isEmpty else { return nil }
    for replica in whole { base[replica] = 0 }
    return base
  }

  /// Whether somebody who has seen some events of a replica wants all that are known here, and
  /// no delta brings them.
  private func wantsMore(_ known: VersionVector.Entry, than version: VersionVector) -> Bool {
    version[known.replica] > known.counter
      && !catalogue.deltas.contains {
        $0.file.base[known.replica] == 0 && $0.file.version[known.replica] > known.counter
      }
  }

  /// Notes files of which nothing was taken in, since nobody has told yet what it takes to
  /// mend them; says whether there are none.
  func noteForks(_ root: RelayFolder, _ report: inout SyncReport) -> Bool {
    var isMended = true
    for entry in catalogue.entries.values.sorted(by: { $0.file.isBefore($1.file) }) {
      let path =
        "\(root.path)/\(RelayNames.folder(entry.file.key.writer))/\(entry.name)"
      if entry.differs {
        isMended = false
        report.note(.differentContents, at: path)
      } else if let replica = entry.forks.first(where: { isUnmended($0, entry.file) }) {
        isMended = false
        report.note(.refused(.delta(.fork(replica))), at: path)
      }
    }
    return isMended
  }

  /// Whether a file is of events under a replica's name that aren't known here, by another
  /// name; where no stretch tells, a fork that was noticed counts as mended.
  private func isUnmended(_ replica: ReplicaID, _ file: RelayFile) -> Bool {
    let document = core.monitor.withLock { core.working }
    let isKnown = file.heads.flatMap { document.hasSeen(lineOf: replica, in: $0) }
    return !(isKnown ?? document.forks.contains(replica))
  }
}

extension RelayCatalogue.Entry {
  /// Whether taking in the file mends what has parted.
  var mends: Bool {
    differs ? file.base.isEmpty : !forks.isEmpty && forks.allSatisfy { file.base[$0] == 0 }
  }
}

extension RelayFile {
  fileprivate func isBefore(_ other: RelayFile) -> Bool {
    (key.writer, key.sequence) < (other.key.writer, other.key.sequence)
  }
}
