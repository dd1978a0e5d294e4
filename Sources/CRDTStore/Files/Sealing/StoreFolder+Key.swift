import CRDTKit

extension StoreFolder {
  /// Throws if a store isn't sealed but should be, unless the store adopts it; returns
  /// whether it does.
  func takesUnsealed(_ manifest: Manifest, _ listing: FileListing) throws(StoreError) -> Bool {
    guard sealing != nil, !manifest.isSealed else { return false }
    // A store becomes sealed with its manifest, so somebody has put this unsealed one
    // there.
    guard try !FileKinds(self, listing).isAnySealed else {
      throw .damaged(
        path: path(of: FileNames.manifest, in: root), offset: 0,
        reason: "it is not sealed, and other files are")
    }
    guard adoptsUnsealed else { throw .notSealed(path: path) }
    return true
  }

  /// The head of a file by name, if there is such a file and its head is whole.
  func head(
    of name: String, _ kind: FileHead.Kind, in handle: OpenFile
  ) throws(StoreError) -> FileHead? {
    guard let bytes = try headBytes(of: name, in: handle) else { return nil }
    var reader = ByteReader(bytes)
    return try? FileHead(from: &reader, kind: kind)
  }

  /// The bytes of the head of a file by name, if there is such a file.
  func headBytes(of name: String, in handle: OpenFile) throws(StoreError) -> [UInt8]? {
    try look(at: name, in: handle) { (file) throws(StoreError) in
      try file.headBytes()
    }
  }

  /// The result of the body for a file; `nil` if there is none, or it is no file or can't
  /// be read.
  private func look<Found>(
    at name: String, in handle: OpenFile, _ body: (StoreFile) throws(StoreError) -> Found?
  ) throws(StoreError) -> Found? {
    do throws(StoreError) {
      guard let file = try open(name, in: handle, for: .reading) else { return nil }
      defer { file.close() }
      return try body(file)
    } catch {
      guard error.concernsOneFile else { throw error }
      return nil
    }
  }

  /// Throws if a segment or snapshot is another store's, has another number than its name
  /// says, or isn't sealed but should be.
  func requireOwn(
    _ head: FileHead, named number: UInt64, of store: UInt64, by manifest: Manifest?,
    at path: String
  ) throws(StoreError) {
    guard head.store == store, head.number == number else {
      throw .damaged(path: path, offset: 8, reason: "it is another store's, or was renamed")
    }
    try requireSealed(head, by: manifest, path: path)
  }

  /// Throws if a file isn't sealed but should be.
  ///
  /// The manifest, if it is known, says from which numbers on all files are sealed. Other
  /// unsealed files are accepted only if the app adopts them, and only until the first
  /// snapshot that is sealed.
  func requireSealed(
    _ head: FileHead, by manifest: Manifest?, path: String
  ) throws(StoreError) {
    guard sealing != nil, !head.isSealed else { return }
    var isOlder = manifest == nil && adoptsUnsealed
    if let manifest, manifest.needsUnsealed, head.kind != .manifest {
      let first =
        head.kind == .snapshot ? manifest.firstSealedSnapshot : manifest.firstSealedSegment
      isOlder = head.number < first
    }
    guard isOlder else {
      throw .damaged(path: path, offset: 0, reason: "it is not sealed, as it should be")
    }
    if !adoptsUnsealed { throw .notSealed(path: self.path) }
  }

  /// Checks that sealed files can be opened, if there are any.
  ///
  /// Bytes that don't open are damage only if others do open, or if the store isn't sealed.
  ///
  /// - Throws: ``StoreError/sealed(path:)`` if there is no sealing,
  ///   ``StoreError/wrongKey(path:)`` if the sealing is another one.
  func checkKey(_ listing: FileListing) throws(StoreError) {
    var places = [(name: FileNames.manifest, folder: root, kind: FileHead.Kind.manifest)]
    places += listing.snapshots.sorted(by: >).map { (FileNames.snapshot($0), snapshots, .snapshot) }
    places += listing.segments.sorted(by: >).map { (FileNames.segment($0), segments, .segment) }
    var firstRefused: String?
    for place in places {
      let path = path(of: place.name, in: place.folder)
      guard let (head, body, bytes) = try firstFrame(of: place.name, place.kind, in: place.folder)
      else { continue }
      guard head.isSealed else {
        // The store isn't sealed, so somebody has put this sealed file there.
        if sealing == nil, place.kind == .manifest { return }
        continue
      }
      do throws(StoreError) {
        _ = try opened(body, of: bytes, in: head, at: path)
        return
      } catch {
        switch error {
        case .damaged: firstRefused = firstRefused ?? path
        case .sealed:
          guard place.kind == .manifest else { throw .sealed(path: path) }
          if try FileKinds(self, listing).isSealedManifestOdd { return }
          throw .sealed(path: self.path)
        default: throw error
        }
      }
    }
    if let firstRefused { throw .wrongKey(path: firstRefused) }
  }

  /// The head and first frame of a file by name, if there is such a file and they are
  /// whole.
  func firstFrame(
    of name: String, _ kind: FileHead.Kind, in handle: OpenFile
  ) throws(StoreError) -> (FileHead, Range<Int>, [UInt8])? {
    try look(at: name, in: handle) { (file) throws(StoreError) in try file.firstFrame(kind) }
  }
}

extension StoreFile {
  /// The head of a file and the range of its first frame's body, if they are whole.
  fileprivate func firstFrame(
    _ kind: FileHead.Kind
  ) throws(StoreError) -> (FileHead, Range<Int>, [UInt8])? {
    let bytes = try readFirstFrame(of: try size())
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: kind),
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { return nil }
    return (head, body, bytes)
  }
}
