import CRDTKit

/// The open folder of a store: reads, creates and replaces the store's files.
///
/// Interrupted calls are repeated, and partial reads and writes are continued. Every other
/// failure is a ``StoreError`` with the path.
final class StoreFolder: FileFolder {
  let fileSystem: any FileSystem
  let path: String
  private let countedSealing: CountedSealing?
  /// Whether unsealed files are accepted although there is a sealing.
  let adoptsUnsealed: Bool
  let root: OpenFile
  let segments: OpenFile
  let snapshots: OpenFile
  /// The file whose lock is held; `nil` if the folder can't be written, or is read while
  /// another process writes it.
  private let lock: OpenFile?
  /// Whether another process may write the store meanwhile.
  let isBesideWriter: Bool
  /// The identity that distinguishes the folder from every copy of it.
  let home: StoreHome
  /// What stood in the place of the lock or of a folder, and where it is now.
  let cleared: [(finding: StoreFinding, path: String)]

  /// What to create if it is missing.
  enum Creation {
    case nothing
    /// The folders in the store's folder. What stands in their place, or in that of the
    /// lock, is moved to the quarantine.
    case parts
    case everything
  }

  /// Opens the folder of a store and locks it, exclusively or together with other readers.
  ///
  /// If it is locked already, only a reader that may read without the lock can open it.
  init(
    _ path: String, in fileSystem: any FileSystem, creating creation: Creation,
    isReadOnly: Bool, mayBeUnlocked: Bool = false, sealing: (any Sealing)?,
    adoptsUnsealed: Bool = false
  ) throws(StoreError) {
    self.path = path
    self.fileSystem = fileSystem
    countedSealing = sealing.map { CountedSealing($0) }
    self.adoptsUnsealed = adoptsUnsealed
    var opened: [OpenFile] = []
    do throws(StoreError) {
      root = try Self.openRoot(path, in: fileSystem, creating: creation == .everything)
      opened.append(root)
      let hasManifest = try Self.check(
        root, at: path, fileSystem, isToBeMade: creation == .everything)
      // Tools that copy and archive may leave out empty folders.
      let isMaking = creation != .nothing || hasManifest && !isReadOnly
      cleared =
        creation == .parts ? try Self.clearPlaces(in: root, at: path, fileSystem) : []
      let (lock, isHeld) = try Self.takeLock(
        of: root, at: path, in: fileSystem, isReadOnly: isReadOnly)
      guard isHeld || mayBeUnlocked else { throw .locked(path: path) }
      (self.lock, isBesideWriter) = (lock, !isHeld)
      if let lock { opened.append(lock) }
      home = try Self.home(of: root, lock, at: path, in: fileSystem)
      segments = try Self.openFolder(
        FileNames.segments, in: root, at: path, fileSystem, creating: isMaking,
        isPart: hasManifest)
      opened.append(segments)
      snapshots = try Self.openFolder(
        FileNames.snapshots, in: root, at: path, fileSystem, creating: isMaking,
        isPart: hasManifest)
    } catch {
      for file in opened.reversed() { fileSystem.close(file) }
      throw error
    }
  }

  var sealing: (any Sealing)? { countedSealing }

  /// The number of seals since the folder was opened.
  var sealCount: UInt64 { countedSealing?.count ?? 0 }

  /// Closes all descriptors, which releases the lock.
  func close() {
    fileSystem.close(snapshots)
    fileSystem.close(segments)
    fileSystem.close(root)
    if let lock { fileSystem.close(lock) }
  }
}

extension StoreFolder {
  static func openRoot(
    _ path: String, in fileSystem: any FileSystem, creating: Bool
  ) throws(StoreError) -> OpenFile {
    do throws(SystemError) {
      return try again { () throws(SystemError) in try fileSystem.openFolder(at: path) }
    } catch {
      guard error.isMissing else { throw .system(error, path: path) }
      guard creating else { throw .notFound(path: path) }
    }
    try makeUnlessThere(path) { () throws(SystemError) in try fileSystem.makeFolder(at: path) }
    return try attempt(path) { () throws(SystemError) in try fileSystem.openFolder(at: path) }
  }

  /// Throws if a folder has no store and none may be created, or if a store would be
  /// created among other files; returns whether there is a manifest.
  private static func check(
    _ root: OpenFile, at path: String, _ fileSystem: any FileSystem, isToBeMade: Bool
  ) throws(StoreError) -> Bool {
    // List the names only once: another process may be creating a store there.
    let names = try attempt(path) { () throws(SystemError) in try fileSystem.names(in: root) }
    let parts = [FileNames.manifest, FileNames.segments, FileNames.snapshots]
    if names.contains(where: parts.contains) { return names.contains(FileNames.manifest) }
    guard isToBeMade else { throw .notFound(path: path) }
    // These may be there: a disk's own folder, and hidden files that systems leave
    // everywhere.
    let own = [FileNames.lock, FileNames.closed, FileNames.quarantine, "lost+found"]
    let foreign = names.contains { name in
      !name.hasPrefix(".") && !own.contains(name) && !FileNames.isUnfinished(name)
    }
    if foreign { throw .alreadyExists(path: path) }
    return false
  }

  /// Creates a folder that another process may be creating as well: the lock decides which
  /// of them continues.
  private static func makeUnlessThere(
    _ path: String, _ make: () throws(SystemError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) { try attempt(path, make) } catch {
      guard case .system(let cause, _) = error, cause.isAlreadyThere else { throw error }
    }
  }

  /// The path of a folder's parent.
  static func outerPath(of path: String) -> String {
    var rest = Substring(path)
    while rest.count > 1, rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return "." }
    return slash == rest.startIndex ? "/" : String(rest[..<slash])
  }

  /// The file whose lock was taken, if there is one, and whether nobody else holds the
  /// lock.
  private static func takeLock(
    of root: OpenFile, at path: String, in fileSystem: any FileSystem, isReadOnly: Bool
  ) throws(StoreError) -> (file: OpenFile?, isHeld: Bool) {
    let lockPath = "\(path)/\(FileNames.lock)"
    let file: OpenFile
    do throws(SystemError) {
      file = try openLock(of: root, in: fileSystem, for: isReadOnly ? .reading : .locking)
    } catch {
      if isReadOnly, error.isMissing { return (nil, true) }
      if error.isNoFile { throw .noFile(at: lockPath) }
      if error.forbidsWriting { throw .readOnly(path: path) }
      throw .system(error, path: lockPath)
    }
    do throws(StoreError) {
      let isLocked = try attempt(lockPath) { () throws(SystemError) in
        try fileSystem.lock(file, exclusively: !isReadOnly)
      }
      if isLocked { return (file, true) }
      fileSystem.close(file)
      return (nil, false)
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  /// Opens the file whose lock is taken.
  ///
  /// - Throws: An error that ``SystemError/isNoFile`` if it is not a file.
  static func openLock(
    of root: OpenFile, in fileSystem: any FileSystem, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    let file = try again { () throws(SystemError) in
      try fileSystem.open(FileNames.lock, in: root, for: use)
    }
    do throws(SystemError) {
      _ = try again { () throws(SystemError) in try fileSystem.size(of: file) }
      return file
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  private static func home(
    of root: OpenFile, _ lock: OpenFile?, at path: String, in fileSystem: any FileSystem
  ) throws(StoreError) -> StoreHome {
    guard let lock else { return .none }
    return try attempt(path) { () throws(SystemError) in
      StoreHome(lock: try fileSystem.identity(of: lock), folder: try fileSystem.identity(of: root))
    }
  }

  /// Opens a folder of the store; creates it if it is missing and that is wanted.
  ///
  /// An error about a part of an existing store names the missing folder.
  static func openFolder(
    _ name: String, in root: OpenFile, at path: String, _ fileSystem: any FileSystem,
    creating: Bool,
    isPart: Bool = false
  ) throws(StoreError) -> OpenFile {
    do throws(SystemError) {
      return try again { () throws(SystemError) in
        try fileSystem.open(name, in: root, for: .folder)
      }
    } catch {
      if isPart, error.isOtherKind { throw .noFolder(at: "\(path)/\(name)") }
      guard error.isMissing, creating || !isPart else {
        throw .system(error, path: "\(path)/\(name)")
      }
      guard creating else { throw .notFound(path: path) }
    }
    try makeUnlessThere("\(path)/\(name)") { () throws(SystemError) in
      try fileSystem.makeFolder(name, in: root)
    }
    if isPart {
      try attempt(path) { () throws(SystemError) in try fileSystem.synchronizeNames(in: root) }
    }
    return try attempt("\(path)/\(name)") { () throws(SystemError) in
      try fileSystem.open(name, in: root, for: .folder)
    }
  }
}

extension StoreFolder {
  /// The path of a file, for messages.
  func path(of name: String, in folder: OpenFile) -> String {
    switch folder {
    case segments: "\(path)/\(FileNames.segments)/\(name)"
    case snapshots: "\(path)/\(FileNames.snapshots)/\(name)"
    case root: "\(path)/\(name)"
    default: "\(path)/\(FileNames.quarantine)/\(name)"
    }
  }

  /// Something that has the name of one of the store's files but is no file is damage:
  /// salvaging moves it away.
  func failure(_ error: SystemError, at path: String) -> StoreError {
    error.isNoFile ? .noFile(at: path) : .system(error, path: path)
  }

  /// The number of free bytes on the disk.
  func freeBytes() throws(StoreError) -> Int {
    try attempt(path) { () throws(SystemError) in try fileSystem.freeBytes(in: root) }
  }

  /// The folder for damaged bytes, created if there is none.
  func openQuarantine() throws(StoreError) -> OpenFile {
    let folder = try Self.openFolder(
      FileNames.quarantine, in: root, at: path, fileSystem, creating: true)
    try synchronizeNames(in: root)
    return folder
  }
}

/// Repeats a call while it is interrupted, but not for ever.
private func again<Result>(
  _ call: () throws(SystemError) -> Result
) throws(SystemError) -> Result {
  for _ in 0..<100 {
    do throws(SystemError) { return try call() } catch {
      guard error.isInterruption else { throw error }
    }
  }
  return try call()
}

/// Makes a call, repeats it if it is interrupted, and throws its error with the path.
@discardableResult
func attempt<Result>(
  _ path: @autoclosure () -> String, _ call: () throws(SystemError) -> Result
) throws(StoreError) -> Result {
  do throws(SystemError) { return try again(call) } catch { throw .system(error, path: path()) }
}
