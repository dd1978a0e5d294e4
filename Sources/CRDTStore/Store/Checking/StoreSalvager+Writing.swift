import CRDTKit

/// Applies and writes the recovered data.
extension StoreSalvager {
  /// Makes the store write as another replica: some of the old one's events are lost here,
  /// and others may know them.
  mutating func beginAsAnother() {
    if let latest = document.latestTimestamp {
      identity.clockTime = max(identity.clockTime, latest.time)
    }
    identity.replica = options.makeReplica()
    identity.home = folder.home.value
    report.replica = identity.replica
  }

  /// Rewrites the values of changes that can't be applied, with their original times.
  ///
  /// With later times they would win over values that others have written since. The
  /// changes stay in the order in which they came, so none is older than one before it.
  mutating func rewriteWaiting() {
    var time: UInt64 = 0
    for (delta, _, segment) in waiting {
      // The rest of the change is only in this segment, so the segment is kept.
      if !damaged.contains(where: { $0.name == segment && $0.folder == folder.segments }) {
        damaged.append((segment, folder.segments))
        report.findings.append(
          StoreFinding(
            path: folder.path(of: segment, in: folder.segments), offset: 0,
            reason: "some of its changes build on lost ones"))
      }
      time = max(time, delta.latestTimestamp?.time ?? 0)
      var isWhole = true
      document.edit(at: HybridTimestamp(time: time, replica: identity.replica)) {
        isWhole = $0.rewrite(delta)
      }
      report.changesWrittenAnew += 1
      if !isWhole { report.changesIncomplete += 1 }
    }
    identity.clockTime = max(identity.clockTime, time)
  }

  /// The first number, beyond all of these that are plausible, whose name is free.
  private static func free(after numbers: [UInt64], _ taken: Set<UInt64> = []) -> UInt64 {
    var number = (numbers.filter(isPlausible).max() ?? 0) + 1
    while taken.contains(number) { number += 1 }
    return number
  }

  /// Writes the recovered data, and sets the damaged files aside.
  mutating func write(
    of store: UInt64, after listing: FileListing
  ) throws(StoreError) {
    let segment = Self.free(
      after: [lastSegment, manifest?.firstLiveSegment ?? 0],
      listing.segments)
    let number = Self.free(after: [lastSnapshot, manifest?.snapshot ?? 0], listing.snapshots)
    let line = options.makeLine()
    try folder.sweep()
    _ = try folder.writeSnapshot(
      number, of: store, document: document.encoded(), identity: identity,
      schema: document.schema, local: local, firstLiveSegment: segment, line: line)
    try folder.createSegment(
      segment, of: store, line: line,
      after: SegmentHead(
        previousSize: 0, version: document.version, document: identity.document)
    ).file.close()
    let manifest = Manifest(
      identity: identity, schema: document.schema, snapshot: number, firstLiveSegment: segment,
      firstSegment: segment, firstSealedSegment: segment, firstSealedSnapshot: number,
      line: line, seals: seals &+ folder.sealCount &+ 1)
    // The old manifest is set aside first. Otherwise the new one would take its name.
    for (name, handle) in damaged where handle == folder.root {
      if let path = try folder.setAsideManifest(name) { report.filesSetAside.append(path) }
    }
    try folder.write(manifest, number: Self.free(after: [manifestNumber]), of: store)
    for (name, handle) in damaged where handle != folder.root {
      report.filesSetAside.append(try folder.moveAside(name, in: handle))
    }
    report.records = document.recordCount
    report.isSchemaLost = !hasSchema
  }
}
