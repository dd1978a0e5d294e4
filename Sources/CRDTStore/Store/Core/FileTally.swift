import CRDTKit

/// The files of a store and their sizes.
struct FileTally {
  /// The sizes of segments and snapshots by number.
  var segments: [UInt64: Int] = [:]
  var snapshots: [UInt64: Int] = [:]
  /// The versions that the segments begin with which the manifest names, by number.
  var versions: [UInt64: VersionVector] = [:]
  /// The bytes of commits written since the store was opened; the next one counts other
  /// bytes.
  var batchBytesWritten = 0
  var otherBytesWritten = 0
  var batchesWritten = 0

  /// The size of all files.
  var bytes: Int {
    segments.values.reduce(0, +) + snapshots.values.reduce(0, +)
  }

  /// The size of the files that opening the store would read.
  func bytesNeeded(by manifest: Manifest) -> Int {
    bytes(from: manifest.firstLiveSegment) + (snapshots[manifest.snapshot] ?? 0)
  }

  /// The size of the segments from a number on.
  func bytes(from segment: UInt64) -> Int {
    segments.reduce(0) { $1.key >= segment ? $0 + $1.value : $0 }
  }
}

extension FileTally {
  /// Counts a written frame, and the new segment if one was begun.
  mutating func note(
    _ frameSize: Int, isRotated: Bool, log: SegmentLog, version: VersionVector
  ) {
    segments[isRotated ? log.number - 1 : log.number, default: 0] += frameSize
    batchBytesWritten += frameSize
    if frameSize > 0 { batchesWritten += 1 }
    guard isRotated else { return }
    segments[log.number] = log.size
    versions[log.number] = version
    otherBytesWritten += log.size
  }

  /// Scans the existing files, reading only their heads.
  ///
  /// A file that nothing needs and that can't be read counts as empty. Without a journal, a
  /// power cut may leave the names of removed files with nothing behind them that could be
  /// opened.
  init(
    _ folder: StoreFolder, _ listing: FileListing, needing manifest: Manifest
  ) throws(StoreError) {
    for number in listing.snapshots.sorted() {
      snapshots[number] = 0
      do throws(StoreError) { try look(atSnapshot: number, in: folder) } catch {
        guard number != manifest.snapshot else { throw error }
      }
    }
    for number in listing.segments.sorted() {
      segments[number] = 0
      do throws(StoreError) { try look(at: number, in: folder, manifest) } catch {
        // A backup copies as many bytes of these files as are counted here.
        guard number < manifest.firstLiveSegment else { throw error }
      }
    }
  }

  private mutating func look(
    atSnapshot number: UInt64, in folder: StoreFolder
  ) throws(StoreError) {
    let name = FileNames.snapshot(number)
    guard let file = try folder.open(name, in: folder.snapshots, for: .reading) else { return }
    defer { file.close() }
    snapshots[number] = try file.size()
  }

  private mutating func look(
    at number: UInt64, in folder: StoreFolder, _ manifest: Manifest
  ) throws(StoreError) {
    let name = FileNames.segment(number)
    guard let file = try folder.open(name, in: folder.segments, for: .reading) else { return }
    defer { file.close() }
    let size = try file.size()
    segments[number] = size
    let bytes = try file.readFirstFrame(of: size)
    if number >= manifest.firstSegment, let scan = try? SegmentScan(bytes) {
      versions[number] = try? scan.head(of: bytes, in: folder, at: file.path).head.version
    }
  }
}
