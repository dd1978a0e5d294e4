import CRDTKit

/// What a store's files hold, read and checked: the document, what is kept beside
/// it, and where writing goes on.
struct StoreContents {
  /// The number that all of the store's files have in their heads.
  var store: UInt64
  var manifest: Manifest
  /// The number in the manifest's head, which goes up by one with each.
  var manifestNumber: UInt64
  var document: Document
  var identity: StoreIdentity
  /// The segment that is written on.
  var lastSegment: Segment
  /// The sizes of all segments that are there, by number, and of snapshots.
  var segmentSizes: [UInt64: Int]
  var snapshotSizes: [UInt64: Int]
  /// The versions that the live segments begin with, by number.
  var segmentVersions: [UInt64: VersionVector]
  var report: RecoveryReport

  /// A segment that was read.
  struct Segment {
    var number: UInt64
    /// Where the last whole frame begins and ends.
    var lastFrame: Range<Int>
    /// Bytes after it, which were being written when everything stopped.
    var tornBytes: [UInt8]
    var lastFrameBytes: [UInt8]
    var wasClosed: Bool
  }
}

/// What opening a store found and did.
public struct RecoveryReport: Hashable, Sendable {
  /// How many changes were replayed on top of the snapshot.
  public var changesReplayed = 0
  /// How many bytes at the end were no whole commit, and were set aside: what was
  /// being written, and not yet acknowledged, when the process or the machine stopped.
  public var bytesSetAside = 0
  /// Whether the store was closed in good order the last time.
  public var wasClosed = false
  /// Whether the newest snapshot was not there, as in a copy that was made while
  /// the store was being compacted, and an older one and its segments were read.
  public var usedOlderSnapshot = false
  /// Whether the folder is a copy of the one that the store was made in, and so
  /// got a replica of its own.
  public var isCopy = false
}

extension StoreContents {
  /// Reads what is in a store's folder; `nil` where there never was a store.
  ///
  /// Nothing is changed.
  static func read(_ folder: StoreFolder) throws(StoreError) -> StoreContents? {
    let listing = try Listing(folder)
    guard let bytes = try folder.read(FileNames.manifest, in: folder.root) else {
      guard listing.isEmpty(folder) else {
        throw .damaged(
          path: folder.path(of: FileNames.manifest, in: folder.root), offset: 0,
          reason: "the file is missing")
      }
      return nil
    }
    let (head, manifest) = try decoding(FileNames.manifest, in: folder.root, folder) {
      () throws(DecodingFailure) in try Manifest.decode(bytes)
    }
    var contents = StoreContents(
      store: head.store, manifest: manifest, manifestNumber: head.number, document: Document(),
      identity: manifest.identity,
      lastSegment: Segment(
        number: 0, lastFrame: 0..<0, tornBytes: [], lastFrameBytes: [], wasClosed: false),
      segmentSizes: [:], snapshotSizes: [:], segmentVersions: [:], report: RecoveryReport())
    let first = try contents.readSnapshot(in: folder, listing)
    try contents.replay(from: first, in: folder, listing)
    contents.document.schema = manifest.schema
    contents.report.wasClosed = contents.lastSegment.wasClosed
    contents.report.bytesSetAside = contents.lastSegment.tornBytes.count
    return contents
  }

  /// The numbers of the files that are there.
  struct Listing {
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
      guard let scan = bytes.flatMap({ try? SegmentScan($0) }) else { return false }
      return scan.batches.isEmpty && scan.ending == .whole
    }
  }

  /// Reads the document that a snapshot holds, and gives the first segment to be
  /// replayed on it.
  private mutating func readSnapshot(
    in folder: StoreFolder, _ listing: Listing
  ) throws(StoreError) -> UInt64 {
    guard manifest.snapshot > 0 else { return manifest.firstLiveSegment }
    for number in [manifest.snapshot] + listing.snapshots.sorted(by: >)
    where number <= manifest.snapshot {
      guard let read = try SnapshotFile.read(number, in: folder) else { continue }
      guard read.head.store == store else {
        throw .damaged(
          path: folder.path(of: FileNames.snapshot(number), in: folder.snapshots), offset: 8,
          reason: "it is another store's")
      }
      document = read.document
      identity = read.snapshot.identity
      report.usedOlderSnapshot = number < manifest.snapshot
      return read.snapshot.firstLiveSegment
    }
    throw .damaged(
      path: folder.path(of: FileNames.snapshot(manifest.snapshot), in: folder.snapshots),
      offset: 0, reason: "the file is missing")
  }

  /// Takes in the changes of the live segments, in order.
  private mutating func replay(
    from first: UInt64, in folder: StoreFolder, _ listing: Listing
  ) throws(StoreError) {
    var number = first
    var previousSize: Int?
    var reader = BatchReader()
    // What the manifest speaks of must be there; what was begun since, is.
    while listing.segments.contains(number) || number <= manifest.firstLiveSegment {
      let name = FileNames.segment(number)
      let path = folder.path(of: name, in: folder.segments)
      guard let bytes = try folder.read(name, in: folder.segments) else {
        throw .damaged(path: path, offset: 0, reason: "the file is missing")
      }
      let scan = try Self.decoding(name, in: folder.segments, folder) {
        () throws(DecodingFailure) in try SegmentScan(bytes)
      }
      guard scan.file.store == store, scan.file.number == number else {
        throw .damaged(path: path, offset: 8, reason: "it is another store's, or was renamed")
      }
      if let previousSize, scan.head.previousSize != UInt64(previousSize) {
        throw .damaged(
          path: folder.path(of: FileNames.segment(number - 1), in: folder.segments),
          offset: min(previousSize, Int(clamping: scan.head.previousSize)),
          reason: "it should have \(scan.head.previousSize) bytes and has \(previousSize)")
      }
      let isLast = !listing.segments.contains(number + 1)
      guard scan.ending == .whole || (isLast && scan.ending == .torn) else {
        throw .damaged(path: path, offset: scan.end, reason: "no whole commit begins there")
      }
      segmentVersions[number] = scan.head.version
      for batch in scan.batches { try take(batch, of: bytes, path: path, &reader) }
      previousSize = bytes.count
      if isLast {
        let last = scan.batches.last.map { $0.lowerBound - Frame.headSize } ?? 0
        lastSegment.number = number
        lastSegment.lastFrame = last..<scan.end
        lastSegment.lastFrameBytes = Array(bytes[last..<scan.end])
        lastSegment.tornBytes = Array(bytes[scan.end...])
        if scan.batches.isEmpty { lastSegment.wasClosed = false }
      }
      number += 1
    }
    if let orphan = listing.segments.filter({ $0 > number }).min() {
      throw .damaged(
        path: folder.path(of: FileNames.segment(number), in: folder.segments), offset: 0,
        reason: "the file is missing, and there is a segment \(orphan)")
    }
  }

  private mutating func take(
    _ batch: Range<Int>, of bytes: [UInt8], path: String, _ reader: inout BatchReader
  ) throws(StoreError) {
    do throws(BatchFailure) {
      try reader.read(batch, of: bytes) { (record, clockTime) throws(StoreError) in
        lastSegment.wasClosed = false
        switch record {
        case .change(let delta):
          report.changesReplayed += 1
          identity.clockTime = max(identity.clockTime, clockTime)
          do throws(DeltaError) { try document.apply(delta) } catch { throw .delta(error) }
        case .end:
          lastSegment.wasClosed = true
        default:
          identity.take(record)
        }
      }
    } catch {
      switch error {
      case .unreadable(let failure):
        throw .damaged(path: path, offset: failure.offset, reason: "\(failure.reason)")
      case .refused(let reason, let offset):
        throw .damaged(path: path, offset: offset, reason: "\(reason)")
      }
    }
  }

  /// Gives a decoding's failure as damage of a file.
  static func decoding<Value>(
    _ name: String, in handle: OpenFile, _ folder: StoreFolder,
    _ decode: () throws(DecodingFailure) -> Value
  ) throws(StoreError) -> Value {
    do throws(DecodingFailure) { return try decode() } catch {
      throw StoreError(error, path: folder.path(of: name, in: handle))
    }
  }
}

extension StoreError {
  /// What is wrong with a file that could not be decoded.
  init(_ failure: DecodingFailure, path: String, at start: Int = 0) {
    if case .unsupportedVersion(let version) = failure.reason {
      self = .newerFormat(path: path, version: version)
    } else {
      self = .damaged(path: path, offset: start + failure.offset, reason: "\(failure.reason)")
    }
  }
}

extension SnapshotFile {
  /// Reads a snapshot, if it is there: its head, and the document.
  static func read(
    _ number: UInt64, in folder: StoreFolder
  ) throws(StoreError) -> (head: FileHead, snapshot: SnapshotFile, document: Document)? {
    let name = FileNames.snapshot(number)
    guard let file = try folder.open(name, in: folder.snapshots, for: .reading) else { return nil }
    defer { file.close() }
    let size = try file.size()
    // Enough for the head, unless there are thousands of peers.
    var start = try file.read(0..<min(size, 1 << 16))
    if let body = start.withUnsafeBytes({ FileHead.frameSize(of: $0) }), body > start.count {
      start = try file.read(0..<min(size, body))
    }
    let (head, snapshot, documentStart) = try StoreContents.decoding(
      name, in: folder.snapshots, folder
    ) { () throws(DecodingFailure) in try decodeHead(start) }
    guard head.number == number, UInt64(size - documentStart) == snapshot.documentSize else {
      throw .damaged(
        path: file.path, offset: size,
        reason: "it should have \(snapshot.documentSize) bytes after byte \(documentStart)")
    }
    let bytes = try file.read(documentStart..<size)
    guard checksum(of: bytes) == snapshot.documentChecksum else {
      throw .damaged(path: file.path, offset: max(0, size - 4), reason: "the checksum is another")
    }
    do throws(DecodingFailure) {
      return (head, snapshot, try Document(decoding: bytes))
    } catch {
      throw StoreError(error, path: file.path, at: documentStart)
    }
  }
}

extension FileHead {
  /// How many bytes the head and the first frame take, as the frame's length says.
  static func frameSize(of bytes: UnsafeRawBufferPointer) -> Int? {
    guard bytes.count >= size + Frame.headSize else { return nil }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: size, as: UInt32.self))
    return size + Frame.headSize + Int(length)
  }
}
