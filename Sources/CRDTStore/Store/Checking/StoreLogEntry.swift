public import CRDTKit

/// One change in a store's log, for those who look into it.
public struct StoreLogEntry: Sendable {
  /// The number of the segment that holds it.
  public var segment: UInt64
  /// Where its batch stands in the segment.
  public var offset: Int
  /// The time of the clock after it, as in ``HybridTimestamp``.
  public var milliseconds: UInt64
  /// The events of which it consists.
  public var version: VersionVector
  /// The records of which it has rows; what was only removed isn't listed.
  public var records: Set<Document.RecordID>
  /// How many bytes the batch takes: one commit, or several that were written together.
  public var batchBytes: Int
}

extension BlockingStore {
  /// The changes that the log of a store holds, the oldest first; the store is not
  /// open, or only read.
  ///
  /// - Throws: ``StoreError``.
  public static func log(
    at path: String, fileSystem: any FileSystem = DiskFileSystem()
  ) throws(StoreError) -> [StoreLogEntry] {
    let folder = try StoreFolder(path, in: fileSystem, creating: .nothing, isReadOnly: true)
    defer { folder.close() }
    var entries: [StoreLogEntry] = []
    var reader = BatchReader()
    for number in try StoreContents.Listing(folder).segments.sorted() {
      let name = FileNames.segment(number)
      guard let bytes = try folder.read(name, in: folder.segments) else { continue }
      let scan = try StoreContents.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      for batch in scan.batches {
        do throws(BatchFailure) {
          try reader.read(batch, of: bytes) { (record, clockTime) in
            guard case .change(let delta) = record else { return }
            entries.append(
              StoreLogEntry(
                segment: number, offset: batch.lowerBound, milliseconds: clockTime >> 16,
                version: delta.version, records: Document().recordsChanged(by: delta) ?? [],
                batchBytes: batch.count))
          }
        } catch {
          guard case .unreadable(let failure) = error else { continue }
          throw StoreError(failure, path: folder.path(of: name, in: folder.segments))
        }
      }
    }
    return entries
  }
}
