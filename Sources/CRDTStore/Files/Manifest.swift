import CRDTKit

/// The list of a store's files, and all data that is kept beside the document.
///
/// This file is read first, and replaced as a whole.
struct Manifest: Equatable {
  /// The store's identity at the beginning of the first live segment.
  var identity: StoreIdentity
  /// The rules of the document's fields.
  var schema: Schema
  /// The number of the snapshot that the document begins with; 0 if it begins empty.
  var snapshot: UInt64
  /// The first segment whose changes are not in the snapshot.
  var firstLiveSegment: UInt64
  /// The first segment that exists.
  var firstSegment: UInt64
  /// The first segment and snapshot from which on all are sealed, if the manifest is.
  ///
  /// So nobody can replace one of them by an unsealed file.
  var firstSealedSegment: UInt64 = 1
  var firstSealedSnapshot: UInt64 = 1
  /// The line of history at the beginning of the first live segment: see ``SealedPlace``.
  var line: UInt64 = 0
  /// The number of seals with the key up to then, or a few more.
  var seals: UInt64 = 0

  /// Whether the manifest, as it was read, is sealed.
  var isSealed: Bool { firstSealedSegment < .max }

  /// Whether opening the store reads files from before it was sealed.
  var needsUnsealed: Bool { firstLiveSegment < firstSealedSegment }
}

extension Manifest {
  /// The body of the file's only frame.
  func encodedBody(isSealed: Bool) -> ByteWriter {
    var body = ByteWriter()
    identity.encode(to: &body)
    schema.encode(to: &body)
    body.write(varint: snapshot)
    body.write(varint: firstLiveSegment)
    body.write(varint: firstSegment)
    if isSealed {
      body.write(varint: firstSealedSegment)
      body.write(varint: firstSealedSnapshot)
      body.write(fixed: line)
      body.write(varint: seals)
    }
    return body
  }

  /// Reads the bytes of the whole file, which is in a folder beside others.
  ///
  /// - Throws: ``StoreError/sealed(path:)`` if it is sealed, like others, and there is no
  ///   sealing, ``StoreError/wrongKey(path:)`` if the sealing is another one.
  static func decode(
    _ bytes: [UInt8], in folder: StoreFolder, _ listing: FileListing
  ) throws(StoreError) -> (FileHead, Manifest) {
    let path = folder.path(of: FileNames.manifest, in: folder.root)
    let (head, body) = try StoreContents.decoding(FileNames.manifest, in: folder.root, folder) {
      () throws(DecodingFailure) in
      var reader = ByteReader(bytes)
      let head = try FileHead(from: &reader, kind: .manifest)
      return (head, try head.onlyFrame(of: bytes))
    }
    let opened: OpenedBody
    do throws(StoreError) {
      opened = try folder.opened(body, of: bytes, in: head, at: path)
    } catch {
      switch error {
      case .sealed:
        guard try FileKinds(folder, listing).isSealedManifestOdd else {
          throw .sealed(path: folder.path)
        }
        throw .damaged(path: path, offset: 0, reason: "it is sealed, and no other file is")
      // The file is whole, so it is no accident that it doesn't open.
      case .damaged: throw .wrongKey(path: path)
      default: throw error
      }
    }
    var manifest = try opened.decode(at: path) { (reader) throws(DecodingFailure) in
      try Manifest(from: &reader, in: head)
    }
    if opened.isOfFormerKey {
      manifest.seals = 0
    } else if head.isSealed {
      // The manifest itself and the two parts of its snapshot came after the count.
      manifest.seals &+= 3
    }
    return (head, manifest)
  }

  /// Whether the bytes of a file are a whole manifest, sealed or not.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: .manifest) else { return false }
    return (try? head.onlyFrame(of: bytes)) != nil
  }

  private init(from body: inout ByteReader, in head: FileHead) throws(DecodingFailure) {
    let isSealed = head.isSealed
    identity = try StoreIdentity(from: &body)
    schema = try Schema(from: &body)
    snapshot = try body.readVarint()
    firstLiveSegment = try body.readVarint()
    firstSegment = try body.readVarint()
    firstSealedSegment = isSealed ? try body.readVarint() : .max
    firstSealedSnapshot = isSealed ? try body.readVarint() : .max
    if head.hasLine {
      line = try body.readFixed(UInt64.self)
      seals = try body.readVarint()
    }
    guard body.remaining == 0, firstSegment > 0, firstSegment <= firstLiveSegment,
      [head.number, snapshot, firstLiveSegment].allSatisfy({ $0 <= FileNames.numberMax })
    else {
      throw DecodingFailure(.invalidValue("the manifest makes no sense"), at: body.offset)
    }
  }
}

extension FileHead {
  /// A file of this head and one frame.
  func file(framing body: borrowing ByteWriter) -> [UInt8] {
    var writer = ByteWriter(capacity: body.count + 64)
    encode(to: &writer)
    for _ in 0..<Frame.headSize { writer.write(0 as UInt8) }
    body.withBytes { writer.write($0) }
    var bytes = writer.finish()
    bytes.withUnsafeMutableBytes { bytes in
      Frame.seal(
        UnsafeMutableRawBufferPointer(rebasing: bytes[FileHead.size...]), at: FileHead.size,
        in: self)
    }
    return bytes
  }

  /// The body of the only frame of a file.
  func onlyFrame(of bytes: [UInt8]) throws(DecodingFailure) -> Range<Int> {
    guard let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: self) })
    else { throw DecodingFailure(.damaged, at: FileHead.size) }
    guard body.upperBound == bytes.count else {
      throw DecodingFailure(.trailingBytes, at: body.upperBound)
    }
    return body
  }
}

extension StoreFolder {
  /// The bytes of the manifest, and whether it still has to be renamed; `nil` if there is
  /// none.
  ///
  /// On file systems without a journal, a power cut may remove the old manifest's name
  /// before the new one has it. Then only the new manifest exists, which was already
  /// durable: if it is whole, it is the manifest.
  func readManifest() throws(StoreError) -> (bytes: [UInt8], isUnfinished: Bool)? {
    if let bytes = try read(FileNames.manifest, in: root) { return (bytes, false) }
    guard let bytes = try read(FileNames.unfinishedManifest, in: root) else { return nil }
    return Manifest.isWhole(bytes) ? (bytes, true) : nil
  }

  /// The head and the contents of the manifest, if there is one.
  func decodedManifest(
    beside listing: FileListing
  ) throws(StoreError) -> (FileHead, Manifest)? {
    guard let bytes = try readManifest()?.bytes else { return nil }
    return try Manifest.decode(bytes, in: self, listing)
  }

  /// Throws if the manifest, and at least one other file if there are any, has a format
  /// that isn't known here.
  ///
  /// If only one file has such a format, somebody has put it there, or it is damaged.
  func checkFormat(_ listing: FileListing) throws(StoreError) {
    let bytes: [UInt8]?
    do throws(StoreError) { bytes = try readManifest()?.bytes } catch {
      guard error.concernsOneFile else { throw error }
      return
    }
    var reader = ByteReader(bytes ?? [])
    do throws(DecodingFailure) { _ = try FileHead(from: &reader, kind: .manifest) } catch {
      guard case .unsupportedVersion(let version) = error.reason else { return }
      if try FileKinds(self, listing).isNewerManifestOdd { return }
      throw .newerFormat(path: path(of: FileNames.manifest, in: root), version: version)
    }
  }

  /// Renames a manifest that still has its unfinished name.
  ///
  /// Its writer may have been stopped before it was durable, or been told that it can't be
  /// made durable. So it is written again in place.
  func finishManifest() throws(StoreError) {
    if let bytes = try read(FileNames.unfinishedManifest, in: root),
      let file = try open(FileNames.unfinishedManifest, in: root, for: .writing)
    {
      defer { file.close() }
      try file.write(bytes, at: 0)
      try file.synchronize()
    }
    try rename(FileNames.unfinishedManifest, in: root, to: FileNames.manifest, in: root)
    try synchronizeNames(in: root)
  }

  /// Copies a damaged manifest to the quarantine, or moves it there if it is too long to
  /// copy; returns its path, or `nil` if there is none.
  func setAsideManifest(_ name: String) throws(StoreError) -> String? {
    let opened: (file: StoreFile, extent: StoreFile.Extent)
    do throws(StoreError) {
      guard let file = try open(name, in: root, for: .reading) else { return nil }
      do throws(StoreError) { opened = (file, try file.extent()) } catch {
        file.close()
        throw error
      }
    } catch {
      guard error.isDamage else { throw error }
      // It is no file.
      return try moveAside(name, in: root)
    }
    let (file, extent) = opened
    defer { file.close() }
    if extent.isTooLong { return try moveAside(name, in: root) }
    return try setAside(try file.read(0..<extent.size), from: name, at: 0)
  }

  /// Replaces the manifest.
  func write(_ manifest: Manifest, number: UInt64, of store: UInt64) throws(StoreError) {
    let head = head(.manifest, store: store, number: number)
    let bytes = try file(
      head, framing: manifest.encodedBody(isSealed: head.isSealed),
      at: path(of: FileNames.manifest, in: root))
    try replace(FileNames.manifest, in: root, with: [bytes]).close()
  }
}
