/// The open and locked folder of a blob store.
final class BlobFolder: FileFolder {
  let fileSystem: any FileSystem
  let path: String
  private let countedSealing: CountedSealing?
  let root: OpenFile
  let classes: [BlobStore.BlobClass: OpenFile]
  let quarantine: OpenFile
  private let lock: OpenFile

  init(
    _ path: String, in fileSystem: any FileSystem, sealing: (any Sealing)?
  ) throws(StoreError) {
    self.path = path
    self.fileSystem = fileSystem
    countedSealing = sealing.map(CountedSealing.init)
    var opened: [OpenFile] = []
    do throws(StoreError) {
      root = try StoreFolder.openRoot(path, in: fileSystem, creating: true)
      opened.append(root)
      lock = try Self.takeLock(of: root, at: path, in: fileSystem)
      opened.append(lock)
      var classes: [BlobStore.BlobClass: OpenFile] = [:]
      for blobClass in BlobStore.BlobClass.allCases {
        let folder = try StoreFolder.openFolder(
          blobClass.rawValue, in: root, at: path, fileSystem, creating: true)
        opened.append(folder)
        classes[blobClass] = folder
      }
      self.classes = classes
      quarantine = try StoreFolder.openFolder(
        FileNames.quarantine, in: root, at: path, fileSystem, creating: true)
      opened.append(quarantine)
      // Make durable what was created now, or by a process that was killed.
      try synchronizeNames(in: root)
      try synchronizeOwnName()
    } catch {
      for file in opened.reversed() { fileSystem.close(file) }
      throw error
    }
  }

  var sealing: (any Sealing)? { countedSealing }

  /// The number of seals since the folder was opened.
  var sealCount: UInt64 { countedSealing?.count ?? 0 }

  func close() {
    fileSystem.close(quarantine)
    for folder in classes.values { fileSystem.close(folder) }
    fileSystem.close(root)
    fileSystem.close(lock)
  }

  func path(of name: String, in folder: OpenFile) -> String {
    if folder == root { return "\(path)/\(name)" }
    let blobClass = classes.first { $0.value == folder }?.key
    return "\(path)/\(blobClass?.rawValue ?? FileNames.quarantine)/\(name)"
  }

  private static func takeLock(
    of root: OpenFile, at path: String, in fileSystem: any FileSystem
  ) throws(StoreError) -> OpenFile {
    let lockPath = "\(path)/\(BlobNames.lock)"
    let file = try attempt(lockPath) { () throws(SystemError) in
      try fileSystem.open(BlobNames.lock, in: root, for: .locking)
    }
    do throws(StoreError) {
      let isLocked = try attempt(lockPath) { () throws(SystemError) in
        try fileSystem.lock(file, exclusively: true)
      }
      guard isLocked else { throw .locked(path: path) }
      return file
    } catch {
      fileSystem.close(file)
      throw error
    }
  }

  func freeBytes() throws(StoreError) -> Int {
    try attempt(path) { () throws(SystemError) in try fileSystem.freeBytes(in: root) }
  }

  /// Creates an empty file, unless it exists.
  func mark(_ name: String, in folder: OpenFile) throws(StoreError) {
    do throws(StoreError) {
      let file = try attempt(path(of: name, in: folder)) { () throws(SystemError) in
        try fileSystem.open(name, in: folder, for: .creating)
      }
      fileSystem.close(file)
    } catch {
      guard case .system(let cause, _) = error, cause.isAlreadyThere else { throw error }
    }
  }

  /// Removes a name, if it exists; moves it away if it is a folder's.
  func discard(_ name: String, in folder: OpenFile) throws(StoreError) {
    do throws(StoreError) { try removeIfThere(name, in: folder) } catch {
      guard case .system(let cause, _) = error, cause.isFolder else { throw error }
      _ = try setAside(name, in: folder)
    }
  }

  /// The result of the body for a file, given its size; `nil` if there is none, and another
  /// value if the name is no file's.
  func look<Found>(
    at name: String, in folder: OpenFile, orElse other: Found,
    _ body: (StoreFile, Int) throws(StoreError) -> Found
  ) throws(StoreError) -> Found? {
    do throws(StoreError) {
      guard let file = try open(name, in: folder, for: .reading) else { return nil }
      defer { file.close() }
      return try body(file, try file.size())
    } catch {
      guard case .system(let cause, _) = error, cause.isNoFile else { throw error }
      return other
    }
  }

  /// The size of a file; `nil` if there is none.
  func size(of name: String, in folder: OpenFile) throws(StoreError) -> Int? {
    guard let file = try open(name, in: folder, for: .reading) else { return nil }
    defer { file.close() }
    return try file.size()
  }

  /// Moves a damaged blob to the quarantine; returns its path there.
  func setAside(_ name: String, in folder: OpenFile) throws(StoreError) -> String {
    for number in 0..<1_000 {
      let target = "\(name).\(number)"
      if try isTaken(target) { continue }
      try rename(name, in: folder, to: target, in: quarantine)
      try synchronizeNames(in: quarantine)
      try synchronizeNames(in: folder)
      return path(of: target, in: quarantine)
    }
    throw .alreadyExists(path: path(of: name, in: quarantine))
  }

  /// Whether something in the quarantine has this name, whether or not it is a file.
  private func isTaken(_ name: String) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let file = try open(name, in: quarantine, for: .reading)
      file?.close()
      return file != nil
    } catch {
      guard case .system(let cause, _) = error, cause.isNoFile else { throw error }
      return true
    }
  }
}
