import CRDTKit

extension StoreCore {
  /// Copies all that is durable into a folder that isn't there yet.
  func backUp(to target: String) throws(StoreError) {
    let source = try holdFiles()
    defer { endCompaction() }
    let copy = try StoreFolder(
      target, in: options.fileSystem, creating: .everything, isReadOnly: false,
      sealing: options.sealing)
    defer { copy.close() }
    guard try copy.names(in: copy.segments).isEmpty, try copy.names(in: copy.snapshots).isEmpty,
      try copy.readManifest() == nil
    else { throw .alreadyExists(path: target) }
    let (manifest, manifestNumber, sizes, snapshotSizes) = monitor.withLock {
      (self.manifest, self.manifestNumber, files.segments, files.snapshots)
    }
    if manifest.snapshot > 0 {
      let name = FileNames.snapshot(manifest.snapshot)
      guard let file = try source.open(name, in: source.snapshots, for: .reading) else {
        throw missing(name)
      }
      defer { file.close() }
      let bytes = try file.read(0..<(snapshotSizes[manifest.snapshot] ?? 0))
      try copy.replace(name, in: copy.snapshots, with: [bytes]).close()
    }
    for segment in sizes.keys.sorted() where segment >= manifest.firstLiveSegment {
      let name = FileNames.segment(segment)
      // Of the segment that is being written, what was durable when this began.
      guard let file = try source.open(name, in: source.segments, for: .reading) else {
        throw missing(name)
      }
      defer { file.close() }
      let bytes = try file.read(0..<(sizes[segment] ?? 0))
      try copy.replace(name, in: copy.segments, with: [bytes]).close()
    }
    try copy.synchronizeNames(in: copy.root)
    try copy.synchronizeOwnName()
    // Last, for without it the copy is no store.
    var restored = manifest
    restored.firstSegment = manifest.firstLiveSegment
    try copy.write(restored, number: manifestNumber, of: number)
  }

  private func missing(_ name: String) -> StoreError {
    .damaged(path: "\(path)/\(name)", offset: 0, reason: "the file is missing")
  }
}
