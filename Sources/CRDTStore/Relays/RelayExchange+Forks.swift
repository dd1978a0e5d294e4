import CRDTKit

/// Handles two places that have written as one replica, and copies that differ.
///
/// A store that notices it publishes everything that it has once. A store that receives
/// that mends the fork.
extension RelayExchange {
  /// Finds the files whose writers had other events than this store under some names, or
  /// other contents.
  ///
  /// The forks are noted in the document (`TableBacked.forks`). The store's own content
  /// digest is computed only if a file is of the same version.
  func lookForForks() {
    let document = core.monitor.withLock { core.working.document }
    let version = document.version
    var digest: ShortDigest?
    for (key, entry) in catalogue.entries {
      var entry = entry
      entry.forks =
        entry.file.heads.map { document.forks(from: $0) }
        ?? document.forks(fromFormat1: entry.file.version)
      entry.isMended = document.hasSeen(linesOf: entry.forks, in: entry.file)
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

  /// Whether others need everything that is here to mend a fork, and no file has it.
  func isToMend(at version: VersionVector) -> Bool {
    if catalogue.entries.values.contains(where: { $0.differs }) {
      // The side whose line is renamed has to see the other's, so both are needed.
      let digest = core.monitor.withLock { core.working.document.contentDigest.short }
      return !catalogue.deltas.contains {
        $0.file.base.isEmpty && $0.file.version == version && $0.file.digest == digest
      }
    }
    let isForkOpen = catalogue.entries.values.contains { entry in
      // The two lines have fewer events than this in common.
      entry.forks.contains { !isWhole(of: $0, from: min(version[$0], entry.file.version[$0])) }
    }
    return isForkOpen
      || catalogue.newest.values.flatMap(\.wanted).contains {
        version[$0.replica] > $0.counter && !isWhole(of: $0.replica, from: $0.counter + 1)
      }
  }

  /// Whether a file with everything that its writer has seen has this many events of a
  /// replica.
  private func isWhole(of replica: ReplicaID, from counter: UInt64) -> Bool {
    catalogue.deltas.contains {
      $0.file.base.isEmpty && $0.file.version[replica] >= counter
    }
  }

  /// Reports the files that were not received because nobody has published yet what is
  /// needed to mend their forks; returns whether there are none.
  func noteForks(_ root: RelayFolder, _ report: inout Store.SyncReport) -> Bool {
    var isMended = true
    for entry in catalogue.entries.values.sorted(by: { $0.file.isBefore($1.file) }) {
      let path =
        "\(root.path)/\(RelayNames.folder(entry.file.key.writer))/\(entry.name)"
      if entry.differs {
        isMended = false
        report.note(.differentContents, at: path)
      } else if let replica = entry.forks.first, !(entry.isMended ?? areNoted(entry.forks)) {
        isMended = false
        report.note(.refused(.delta(.fork(replica))), at: path)
      }
    }
    return isMended
  }

  /// Whether forks were noticed; if nothing tells whether they are mended, they count as
  /// mended.
  private func areNoted(_ forks: [ReplicaID]) -> Bool {
    let noted = core.monitor.withLock { core.working.document.forks }
    return forks.allSatisfy(noted.contains)
  }
}

extension Document {
  /// Whether this store has seen all events that a file's writer had under some names,
  /// under whatever names; `nil` if no stretch tells.
  fileprivate func hasSeen(linesOf replicas: [ReplicaID], in file: RelayFile) -> Bool? {
    var areAllSeen: Bool? = true
    for replica in replicas {
      switch file.heads.flatMap({ hasSeen(lineOf: replica, in: $0) }) {
      case true?: continue
      case false?: return false
      case nil: areAllSeen = nil
      }
    }
    return areAllSeen
  }
}

extension RelayCatalogue.Entry {
  /// Whether the file's delta is new to a replica at a version, and forks don't prevent
  /// receiving it.
  func isNews(to version: VersionVector) -> Bool {
    if differs { return file.base.isEmpty }
    guard !forks.isEmpty else { return !version.contains(file.version) }
    guard !isTaken, forks.allSatisfy({ file.base[$0] == 0 }) else { return false }
    return isMended != true
      || file.version.contains { !forks.contains($0.replica) && version[$0.replica] < $0.counter }
  }
}

extension RelayFile {
  fileprivate func isBefore(_ other: RelayFile) -> Bool {
    (key.writer, key.sequence) < (other.key.writer, other.key.sequence)
  }
}
