import CRDTKit

extension StoreFolder {
  /// Creates a store's files in an empty folder, the manifest last.
  func create(
    store: UInt64, line: UInt64, replica: ReplicaID, document: DocumentIdentity?, schema: Schema
  ) throws(StoreError) {
    // Remove the files of an interrupted attempt.
    try sweep()
    let segment = try createSegment(
      1, of: store, line: line,
      after: SegmentHead(previousSize: 0, version: [:], document: document))
    segment.file.close()
    try synchronizeNames(in: root)
    // The process that made the folder may have been stopped before the folder was durable.
    try synchronizeOwnName()
    var identity = StoreIdentity(replica: replica, home: home.value)
    identity.document = document
    try write(
      Manifest(
        identity: identity, schema: schema, snapshot: 0, firstLiveSegment: 1, firstSegment: 1,
        line: line),
      number: 1, of: store)
  }

  /// Creates a segment without changes, and returns it open, with its size.
  func createSegment(
    _ number: UInt64, of store: UInt64, line: UInt64, after head: SegmentHead
  ) throws(StoreError) -> (file: StoreFile, size: Int) {
    let name = FileNames.segment(number)
    let bytes = try file(
      self.head(.segment, store: store, number: number), framing: head.encodedBody, line: line,
      at: path(of: name, in: segments))
    return (try replace(name, in: segments, with: [bytes]), bytes.count)
  }

  /// Writes a snapshot of an encoded document; returns the size of the file.
  func writeSnapshot(
    _ number: UInt64, of store: UInt64, document: [UInt8], identity: StoreIdentity,
    schema: Schema, local: LocalValues, firstLiveSegment: UInt64, line: UInt64
  ) throws(StoreError) -> Int {
    let name = FileNames.snapshot(number)
    let (head, path) = (
      self.head(.snapshot, store: store, number: number), path(of: name, in: snapshots)
    )
    let stored = try sealedContent(document, of: firstLiveSegment, in: head, at: path)
    guard stored.count <= SnapshotFile.documentSizeMax else {
      throw .tooLarge(bytes: stored.count, max: SnapshotFile.documentSizeMax)
    }
    let snapshot = SnapshotFile(
      firstLiveSegment: firstLiveSegment, identity: identity, schema: schema,
      documentSize: UInt64(stored.count),
      documentChecksum: SnapshotFile.checksum(of: stored), local: local, line: line)
    let start = try file(head, framing: snapshot.encodedHead(in: head), at: path)
    try replace(name, in: snapshots, with: [start, stored]).close()
    return start.count + stored.count
  }

  /// Removes the store's unfinished files: nothing in them was acknowledged.
  ///
  /// A folder with such a name is moved to the quarantine.
  func sweep() throws(StoreError) {
    for folder in [root, segments, snapshots] {
      for name in try names(in: folder) where FileNames.isUnfinished(name) {
        do throws(StoreError) { try remove(name, in: folder) } catch {
          guard case .system(let cause, _) = error, cause.isFolder else { throw error }
          _ = try moveAside(name, in: folder)
        }
      }
    }
  }

  /// Writes damaged bytes to a file of their own, durably; returns its path.
  @discardableResult
  func setAside(_ bytes: [UInt8], from name: String, at offset: Int) throws(StoreError) -> String {
    let quarantine = try openQuarantine()
    defer { fileSystem.close(quarantine) }
    for attempt in 0..<1_000 {
      let target = "\(name).\(offset).\(attempt)"
      if try isTaken(target, in: quarantine) {
        // An interrupted attempt may have saved these bytes already.
        guard try holds(bytes, target, in: quarantine) else { continue }
        try synchronizeNames(in: quarantine)
        return path(of: target, in: quarantine)
      }
      let file = try replace(target, in: quarantine, with: [bytes])
      file.close()
      return file.path
    }
    throw .alreadyExists(path: path(of: "\(name).\(offset)", in: quarantine))
  }
}

extension StoreFolder {
  /// Moves a damaged file to the quarantine as it is; returns its path there.
  func moveAside(_ name: String, in source: OpenFile) throws(StoreError) -> String {
    try Self.moveAside(name, in: source, of: root, at: path, fileSystem)
  }

  private static func moveAside(
    _ name: String, in source: OpenFile, of root: OpenFile, at path: String,
    _ fileSystem: any FileSystem
  ) throws(StoreError) -> String {
    let outer = "\(path)/\(FileNames.quarantine)"
    let quarantine = try openFolder(
      FileNames.quarantine, in: root, at: path, fileSystem, creating: true)
    defer { fileSystem.close(quarantine) }
    let taken = Set(
      try attempt(outer) { () throws(SystemError) in try fileSystem.names(in: quarantine) })
    var number = 0
    while taken.contains("\(name).\(number)") { number += 1 }
    let target = "\(name).\(number)"
    // A second call may not report the failure of the first, so there is none.
    func synchronize(_ folder: OpenFile) throws(StoreError) {
      do throws(SystemError) { try fileSystem.synchronizeNames(in: folder) } catch {
        throw .stopped(error, path: outer)
      }
    }
    try synchronize(root)
    try attempt("\(path)/\(name)") { () throws(SystemError) in
      try fileSystem.rename(name, in: source, to: target, in: quarantine)
    }
    try synchronize(quarantine)
    try synchronize(source)
    return "\(outer)/\(target)"
  }

  private static func isLink(
    _ name: String, in root: OpenFile, _ fileSystem: any FileSystem
  ) -> Bool {
    do throws(SystemError) {
      fileSystem.close(try fileSystem.open(name, in: root, for: .reading))
      return false
    } catch {
      return error.isOtherKind
    }
  }

  /// Moves what stands in the place of the lock and is no file, or in the place of a part
  /// and is no folder, to the quarantine; returns what was found, and where it is now.
  ///
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` if a folder is a link.
  static func clearPlaces(
    in root: OpenFile, at path: String, _ fileSystem: any FileSystem
  ) throws(StoreError) -> [(finding: StoreFinding, path: String)] {
    var cleared: [(finding: StoreFinding, path: String)] = []
    for name in [FileNames.lock, FileNames.segments, FileNames.snapshots] {
      let place = "\(path)/\(name)"
      let isLock = name == FileNames.lock
      do throws(SystemError) {
        fileSystem.close(
          try isLock
            ? openLock(of: root, in: fileSystem, for: .reading)
            : fileSystem.open(name, in: root, for: .folder))
        continue
      } catch {
        guard isLock ? error.isNoFile : error.isOtherKind else { continue }
      }
      let error: StoreError = isLock ? .noFile(at: place) : .noFolder(at: place)
      // What a link points to may be the store's own folder, and the data with it.
      if !isLock, isLink(name, in: root, fileSystem) { throw error }
      let target = try moveAside(name, in: root, of: root, at: path, fileSystem)
      cleared.append((StoreFinding(error, path: place), target))
    }
    return cleared
  }

  /// Whether a file of this name has these bytes.
  private func holds(
    _ bytes: [UInt8], _ name: String, in folder: OpenFile
  ) throws(StoreError) -> Bool {
    do throws(StoreError) {
      guard let file = try open(name, in: folder, for: .reading) else { return false }
      defer { file.close() }
      guard try file.size() == bytes.count else { return false }
      return try file.read(0..<bytes.count) == bytes
    } catch {
      guard error.isDamage else { throw error }
      return false
    }
  }

  /// Whether something has this name, whether or not it is a file.
  private func isTaken(_ name: String, in folder: OpenFile) throws(StoreError) -> Bool {
    do throws(StoreError) {
      let file = try open(name, in: folder, for: .reading)
      file?.close()
      return file != nil
    } catch {
      guard error.isDamage else { throw error }
      return true
    }
  }
}
