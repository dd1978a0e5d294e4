import CRDTKit

extension FileFolder {
  /// The head of a new file.
  func head(_ kind: FileHead.Kind, store: UInt64, number: UInt64) -> FileHead {
    FileHead(kind: kind, store: store, number: number, isSealed: sealing != nil)
  }

  /// A body as it is written in a file: sealed if the file is.
  func sealed(
    _ body: consuming [UInt8], for place: SealedPlace, in file: FileHead, at path: String
  ) throws(StoreError) -> [UInt8] {
    guard file.isSealed else { return body }
    guard let sealing else { throw .sealed(path: path) }
    do throws(SealingError) {
      return try sealing.seal(body, for: place.context(in: file))
    } catch {
      throw .sealing(error, path: path)
    }
  }

  /// A file of a head and one frame, sealed if the head says so; a segment's is sealed for
  /// a line of history.
  func file(
    _ head: FileHead, framing body: consuming ByteWriter, line: UInt64 = 0, at path: String
  ) throws(StoreError) -> [UInt8] {
    guard head.isSealed else { return head.file(framing: body) }
    let sealed = try sealedBody(
      body.finish(), at: UInt32(FileHead.size), line: line, in: head, at: path)
    var framed = ByteWriter(capacity: sealed.count)
    framed.write(sealed)
    return head.file(framing: framed)
  }

  /// The body of a frame as it is written at an offset of a sealed file.
  func sealedBody(
    _ body: consuming [UInt8], at offset: UInt32, line: UInt64, in file: FileHead,
    at path: String
  ) throws(StoreError) -> [UInt8] {
    let place = SealedPlace.frame(offset: offset, line: file.namesLine ? line : nil)
    return file.clearPart(line: line) + (try sealed(body, for: place, in: file, at: path))
  }

  /// The readable body of a whole frame.
  ///
  /// - Throws: ``StoreError/damaged(path:offset:reason:)`` if the bytes are not the ones
  ///   that were sealed at this place with this key.
  func opened(
    _ body: Range<Int>, of bytes: [UInt8], in file: FileHead, at path: String
  ) throws(StoreError) -> OpenedBody {
    guard file.isSealed else {
      return OpenedBody(
        bytes: bytes, range: body, shift: 0, formatVersion: file.formatVersion)
    }
    let start = body.lowerBound - Frame.headSize
    guard let head = bytes.withUnsafeBytes({ Frame.head(at: start, of: $0, in: file) }) else {
      throw .damaged(path: path, offset: start, reason: "no whole frame begins there")
    }
    let line = file.line(of: bytes, in: body)
    // Open it for the place where it was written: it may have been moved, and should still
    // be recovered.
    let (opened, isOfFormerKey) = try open(
      Array(bytes[body].dropFirst(file.clearPart(line: 0).count)),
      for: .frame(offset: head.offset, line: line), in: file, at: path,
      offset: body.lowerBound)
    return OpenedBody(
      bytes: opened, range: 0..<opened.count, shift: body.lowerBound,
      formatVersion: file.formatVersion, line: line, isOfFormerKey: isOfFormerKey)
  }

  private func open(
    _ sealed: [UInt8], for place: SealedPlace, in file: FileHead, at path: String, offset: Int
  ) throws(StoreError) -> (bytes: [UInt8], isOfFormerKey: Bool) {
    guard let sealing else { throw .sealed(path: path) }
    let context = place.context(in: file)
    do throws(SealingError) {
      if let counted = sealing as? CountedSealing {
        return try counted.openTelling(sealed, for: context)
      }
      return (try sealing.open(sealed, for: context), false)
    } catch {
      guard error == .notAuthentic else { throw .sealing(error, path: path) }
      throw .damaged(path: path, offset: offset, reason: "it isn't what was sealed there")
    }
  }
}

extension FileFolder {
  /// The bytes between a file's first frame and its end, as they are written.
  ///
  /// Sealed bytes have a checksum of their own, so that damage is detected without a key.
  func sealedContent(
    _ content: consuming [UInt8], of number: UInt64 = 0, in file: FileHead, at path: String
  ) throws(StoreError) -> [UInt8] {
    guard file.isSealed else { return content }
    var sealed = try sealed(content, for: .content(of: number), in: file, at: path)
    let checksum = sealed.withUnsafeBytes { CRC32C.checksum($0) }
    withUnsafeBytes(of: checksum.littleEndian) { sealed.append(contentsOf: $0) }
    return sealed
  }

  /// The opened bytes after a file's first frame.
  func openedContent(
    _ bytes: [UInt8], of number: UInt64 = 0, in file: FileHead, at path: String,
    offset: Int
  ) throws(StoreError) -> [UInt8] {
    guard file.isSealed else { return bytes }
    let sealed = Array(bytes.dropLast(4))
    guard bytes.count >= 4,
      sealed.withUnsafeBytes({ CRC32C.checksum($0) }) == SnapshotFile.checksum(of: bytes)
    else { throw .damaged(path: path, offset: offset, reason: "the checksum is another") }
    return try open(sealed, for: .content(of: number), in: file, at: path, offset: offset).bytes
  }
}

extension FileHead {
  /// Whether the document is unsealed before the sealed part of the first frame: a store
  /// has to know it before it can open anything in a relay's folder.
  var namesDocument: Bool { kind == .relay && version == Self.sealedVersion }

  /// The encoding of the document there: 0, or 1 and its identifier.
  ///
  /// Everything in the file is sealed for it, so with another one nothing opens.
  var clearDocument: [UInt8] {
    var writer = ByteWriter(capacity: 17)
    writer.write(document == nil ? 0 : 1 as UInt8)
    document?.encode(to: &writer)
    return writer.finish()
  }

  /// Whether the line of history is unsealed before the sealed part of each frame.
  var namesLine: Bool { hasLine && kind == .segment }

  /// The unsealed part before the sealed part of a frame of a line of history.
  func clearPart(line: UInt64) -> [UInt8] {
    if namesDocument { return clearDocument }
    guard namesLine else { return [] }
    return withUnsafeBytes(of: line.littleEndian) { Array($0) }
  }

  /// The line of history in a frame's body, if it should have one; `nil` if it is cut
  /// short.
  func line(of bytes: [UInt8], in body: Range<Int>) -> UInt64? {
    guard namesLine, body.count >= 8 else { return nil }
    return bytes[body.prefix(8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Reads the document in the first frame's body.
  mutating func readDocument(
    of bytes: [UInt8], in body: Range<Int>
  ) throws(DecodingFailure) {
    guard namesDocument else { return }
    var reader = ByteReader(bytes, in: body)
    switch try reader.readByte() {
    case 0: document = nil
    case 1: document = try DocumentID(from: &reader)
    default:
      throw DecodingFailure(.invalidValue("an unknown kind of document"), at: body.lowerBound)
    }
  }
}
