import CRDTKit

extension BlobFolder {
  /// What was found of a blob: whether there is a file, and its bytes if they are whole.
  struct Found {
    var isThere: Bool
    var bytes: [UInt8]?
  }

  /// Reads the file of a blob: no more bytes than a file of the expected size has.
  ///
  /// - Throws: ``StoreError/wrongKey(path:)`` if the file is whole, but wasn't sealed for
  ///   this blob.
  func read(
    _ key: BlobCore.Key, size: Int, _ secret: BlobSecret?, in place: OpenFile
  ) throws(StoreError) -> Found {
    let name = BlobNames.blob(key, size: size, secret)
    let sizes = secret == nil ? size...size : size...size + startSizeMax + overheadBytes + 4
    let path = path(of: name, in: place)
    let bytes = try look(at: name, in: place, orElse: nil) {
      (file, size) throws(StoreError) -> [UInt8]? in
      sizes.contains(size) ? try file.read(0..<size) : nil
    }
    guard let bytes else { return Found(isThere: false) }
    guard let bytes else { return Found(isThere: true) }
    guard let secret else { return Found(isThere: true, bytes: bytes) }
    guard let start = BlobStart(of: bytes) else { return Found(isThere: true) }
    guard start.head.number == Self.number(of: name), start.head.store == secret.store,
      let opened = try open(start, of: bytes, at: path), opened.id == key.id,
      opened.secret.isSame(as: secret)
    else { throw .wrongKey(path: path) }
    let rest = Array(bytes[start.body.upperBound...])
    guard rest.count >= 4,
      rest.dropLast(4).withUnsafeBytes({ CRC32C.checksum($0) })
        == SnapshotFile.checksum(of: rest)
    else { return Found(isThere: true) }
    do throws(StoreError) {
      let content = try openedContent(
        rest, in: start.head, at: path, offset: start.body.upperBound)
      return Found(isThere: true, bytes: content)
    } catch {
      guard error.isDamage else { throw error }
      // The file is whole, so it is no accident that it doesn't open.
      throw .wrongKey(path: path)
    }
  }

  /// Writes the file of a blob, durably.
  func write(
    _ bytes: [UInt8], _ key: BlobCore.Key, _ secret: BlobSecret?, in place: OpenFile
  ) throws(StoreError) {
    let name = BlobNames.blob(key, size: bytes.count, secret)
    guard let secret else { return try replace(name, in: place, with: [bytes]).close() }
    let path = path(of: name, in: place)
    let head = head(.blob, store: secret.store, number: Self.number(of: name))
    var body = ByteWriter()
    body.write(Array(key.id.text.utf8))
    secret.encode(to: &body)
    let start = try file(head, framing: body, at: path)
    let content = try sealedContent(bytes, in: head, at: path)
    try replace(name, in: place, with: [start, content]).close()
  }

  /// The blob of a sealed file, and the secret of its store; `nil` if the file isn't whole,
  /// isn't sealed with this key, or can't be read.
  func start(
    of name: String, in place: OpenFile
  ) throws(StoreError) -> (id: BlobID, secret: BlobSecret)? {
    var bytes: [UInt8]?
    do throws(StoreError) {
      bytes = try look(at: name, in: place, orElse: []) { (file, _) throws(StoreError) in
        try file.read(0..<startSizeMax)
      }
    } catch {
      guard case .system = error else { throw error }
    }
    guard let bytes, let start = BlobStart(of: bytes), start.head.number == Self.number(of: name)
    else { return nil }
    return try open(start, of: bytes, at: path(of: name, in: place))
  }

  private func open(
    _ start: BlobStart, of bytes: [UInt8], at path: String
  ) throws(StoreError) -> (id: BlobID, secret: BlobSecret)? {
    do throws(StoreError) {
      let opened = try opened(start.body, of: bytes, in: start.head, at: path)
      return try opened.decode(at: path) { (reader) throws(DecodingFailure) in
        let digits = String(decoding: try reader.readBytes(64), as: UTF8.self)
        var secret = try BlobSecret(from: &reader, store: start.head.store)
        if opened.isOfFormerKey { secret.seals = 0 }
        guard reader.remaining == 0, let id = BlobID(digits) else {
          throw DecodingFailure(.invalidValue("no name of a blob"), at: 0)
        }
        return (id, secret)
      }
    } catch {
      guard error.isDamage else { throw error }
      return nil
    }
  }

  /// The maximum number of bytes before the blob itself in a sealed file.
  private var startSizeMax: Int {
    FileHead.size + Frame.headSize + 64 + 1 + BlobSecret.size + 10 + overheadBytes
  }

  var overheadBytes: Int { sealing?.overheadBytes ?? 0 }

  /// The number of a sealed file: the first digits of its name, which binds the sealed
  /// contents to the name.
  private static func number(of name: String) -> UInt64 {
    UInt64(name.prefix(16), radix: 16) ?? 0
  }
}

/// The head and the first frame of a sealed file, which are whole.
private struct BlobStart {
  let head: FileHead
  let body: Range<Int>

  init?(of bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: .blob), head.isSealed,
      let body = bytes.withUnsafeBytes({ Frame.body(at: FileHead.size, of: $0, in: head) })
    else { return nil }
    (self.head, self.body) = (head, body)
  }
}
