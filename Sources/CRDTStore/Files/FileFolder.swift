/// A folder whose files are read, created and replaced durably.
///
/// Interrupted calls are repeated, and partial reads and writes are continued. Every other
/// failure is a ``StoreError`` with the path.
protocol FileFolder: Sendable {
  var fileSystem: any FileSystem { get }
  var path: String { get }
  /// Seals and opens the files' contents; `nil` if nothing is sealed.
  var sealing: (any Sealing)? { get }

  /// The path of a file, for messages.
  func path(of name: String, in folder: OpenFile) -> String

  /// The error for a file that can't be opened, or that is no file.
  func failure(_ error: SystemError, at path: String) -> StoreError

  /// Removes what stands in the way of a file, if there is anything.
  func discard(_ name: String, in folder: OpenFile) throws(StoreError)
}

extension FileFolder {
  func failure(_ error: SystemError, at path: String) -> StoreError {
    .system(error, path: path)
  }

  func discard(_ name: String, in folder: OpenFile) throws(StoreError) {
    try removeIfThere(name, in: folder)
  }
}

extension FileFolder {
  func names(in folder: OpenFile) throws(StoreError) -> [String] {
    try attempt(path(of: "", in: folder)) { () throws(SystemError) in
      try fileSystem.names(in: folder)
    }
  }

  /// Makes the names in a folder durable.
  func synchronizeNames(in folder: OpenFile) throws(StoreError) {
    let path = path(of: "", in: folder)
    // A second call may not report the failure of the first, so there is none.
    do throws(SystemError) { try fileSystem.synchronizeNames(in: folder) } catch {
      throw .stopped(error, path: path)
    }
  }

  /// Makes the folder's own name durable, which is in its parent.
  func synchronizeOwnName() throws(StoreError) {
    let outer = try attempt(path) { () throws(SystemError) in
      try fileSystem.openFolder(at: StoreFolder.outerPath(of: path))
    }
    defer { fileSystem.close(outer) }
    do throws(SystemError) { try fileSystem.synchronizeNames(in: outer) } catch {
      throw .stopped(error, path: path)
    }
  }

  func remove(_ name: String, in folder: OpenFile) throws(StoreError) {
    try attempt(path(of: name, in: folder)) { () throws(SystemError) in
      try fileSystem.remove(name, in: folder)
    }
  }

  /// Removes a name, if it exists.
  func removeIfThere(_ name: String, in folder: OpenFile) throws(StoreError) {
    do throws(StoreError) { try remove(name, in: folder) } catch {
      guard case .system(let cause, _) = error, cause.isMissing else { throw error }
    }
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(StoreError) {
    try attempt(path(of: old, in: source)) { () throws(SystemError) in
      try fileSystem.rename(old, in: source, to: new, in: target)
    }
  }
}

/// The numbers of the existing files.
struct FileListing {
  var segments: Set<UInt64>
  var snapshots: Set<UInt64>

  init(_ folder: StoreFolder) throws(StoreError) {
    segments = Set(try folder.names(in: folder.segments).compactMap(FileNames.segmentNumber))
    snapshots = Set(try folder.names(in: folder.snapshots).compactMap(FileNames.snapshotNumber))
  }

  /// Whether nothing was ever stored: at most the first segment was created, empty.
  func isEmpty(_ folder: StoreFolder) -> Bool {
    guard snapshots.isEmpty, segments.isSubset(of: [1]) else { return false }
    guard segments.contains(1) else { return true }
    let bytes = try? folder.read(FileNames.segment(1), in: folder.segments)
    guard let bytes, let scan = try? SegmentScan(bytes) else { return false }
    return scan.batches.isEmpty && scan.ending == .whole
      && (scan.file.isSealed || (try? scan.head(of: bytes, in: folder, at: "")) != nil)
  }
}

/// The names of a store's files: fixed, or made of a number.
///
/// No name contains anything that a user or a peer has chosen.
enum FileNames {
  static let manifest = "MANIFEST"
  static let lock = "LOCK"
  static let closed = "CLOSED"
  static let segments = "segments"
  static let snapshots = "snapshots"
  static let quarantine = "quarantine"
  /// The suffix of the name of an unfinished file.
  static let unfinished = ".new"
  static let unfinishedManifest = manifest + unfinished

  static func segment(_ number: UInt64) -> String { "\(digits(number)).segment" }
  static func snapshot(_ number: UInt64) -> String { "\(digits(number)).snapshot" }

  /// The greatest number of a file: no store reaches it, and larger numbers exist.
  static let numberMax: UInt64 = 1 << 48

  /// The number in a segment's name; `nil` if the name is no segment's.
  static func segmentNumber(_ name: String) -> UInt64? { storeNumber(name, before: ".segment") }
  static func snapshotNumber(_ name: String) -> UInt64? { storeNumber(name, before: ".snapshot") }

  private static func storeNumber(_ name: String, before suffix: String) -> UInt64? {
    number(name, before: suffix).flatMap { $0 <= numberMax ? $0 : nil }
  }

  /// Whether a name is that of an unfinished file of the store.
  static func isUnfinished(_ name: String) -> Bool {
    guard name.hasSuffix(unfinished) else { return false }
    let finished = String(name.dropLast(unfinished.count))
    return finished == manifest || segmentNumber(finished) != nil || snapshotNumber(finished) != nil
  }

  /// A number as sixteen hexadecimal digits.
  static func digits(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  static func number(_ name: String, before suffix: String) -> UInt64? {
    guard name.utf8.count == 16 + suffix.utf8.count, name.hasSuffix(suffix),
      let number = UInt64(name.dropLast(suffix.count), radix: 16), number > 0,
      digits(number) + suffix == name
    else { return nil }
    return number
  }
}
