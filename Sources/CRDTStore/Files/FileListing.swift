/// The numbers of the files that are there.
struct FileListing {
  var segments: Set<UInt64>
  var snapshots: Set<UInt64>

  init(_ folder: StoreFolder) throws(StoreError) {
    segments = Set(try folder.names(in: folder.segments).compactMap(FileNames.segmentNumber))
    snapshots = Set(try folder.names(in: folder.snapshots).compactMap(FileNames.snapshotNumber))
  }

  /// Whether nothing was ever stored: at most the first segment was made, empty.
  func isEmpty(_ folder: StoreFolder) -> Bool {
    guard snapshots.isEmpty, segments.isSubset(of: [1]) else { return false }
    guard segments.contains(1) else { return true }
    let bytes = try? folder.read(FileNames.segment(1), in: folder.segments)
    guard let bytes, let scan = try? SegmentScan(bytes) else { return false }
    return scan.batches.isEmpty && scan.ending == .whole
      && (scan.file.isSealed || (try? scan.head(of: bytes, in: folder, at: "")) != nil)
  }
}
