import CRDTKit

/// The secret that a sealed blob store names its files by: random, and only ever written
/// sealed.
///
/// It has a file of its own, and is also in each blob's file, so that it isn't lost with
/// that one file.
struct BlobSecret: Hashable {
  static let size = 32

  /// The random number of the store, which is unsealed in the heads of its files.
  let store: UInt64
  /// The key of the names.
  let key: [UInt8]
  /// The maximum number of seals up to when this was written.
  var seals: UInt64 = 0
  /// Whether the adoption of unsealed blobs is still under way.
  var isAdopting = false

  /// Makes a new secret.
  init(_ makeNumber: () -> UInt64) {
    store = makeNumber()
    key = (0..<Self.size / 8).flatMap { _ in
      withUnsafeBytes(of: makeNumber().littleEndian) { Array($0) }
    }
  }

  func encode(to writer: inout ByteWriter) {
    writer.write(isAdopting ? 1 : 0 as UInt8)
    writer.write(key)
    writer.write(varint: seals)
  }

  init(from reader: inout ByteReader, store: UInt64) throws(DecodingFailure) {
    self.store = store
    let kind = try reader.readByte()
    guard kind <= 1 else {
      throw DecodingFailure(.invalidValue("an unknown kind of secret"), at: reader.offset - 1)
    }
    isAdopting = kind == 1
    key = Array(try reader.readBytes(Self.size))
    seals = try reader.readVarint()
  }

  /// Whether two secrets are of one store, whatever their counts are.
  func isSame(as other: BlobSecret) -> Bool { store == other.store && key == other.key }
}

extension BlobFolder {
  /// The numbers of the store's own files, as opposed to those of blobs.
  private enum Number {
    static let secret: UInt64 = 1
    static let recent: UInt64 = 2
  }

  /// The store's secret, and whether it is where it should be; `nil` if nothing is sealed.
  ///
  /// After a power cut, or after somebody has damaged or exchanged its file, it may only be
  /// in the file that was to replace it, or in those of blobs.
  ///
  /// - Throws: ``StoreError/wrongKey(path:)`` if it is sealed with another key, and not all
  ///   blobs are sealed with this one.
  func readSecret(
    recentSizeMax: Int
  ) throws(StoreError) -> (secret: BlobSecret, isInPlace: Bool)? {
    var (named, refusal): ((secret: BlobSecret, isInPlace: Bool)?, StoreError?)
    for name in [BlobNames.secret, BlobNames.secret + FileNames.unfinished] where named == nil {
      do throws(StoreError) {
        guard
          let (head, opened) = try readOwn(
            name, number: Number.secret, sizeMax: secretSizeMax, throwing: true)
        else { continue }
        var secret = try opened.decode(at: path(of: name, in: root)) {
          (reader) throws(DecodingFailure) in try BlobSecret(from: &reader, store: head.store)
        }
        if opened.isOfFormerKey { secret.seals = 0 }
        named = (secret, name == BlobNames.secret)
      } catch {
        guard error.isDamage else { throw error }
        refusal = refusal ?? error
      }
    }
    if let named {
      // Somebody has put the file of another store with the same key there, or its blobs.
      if let others = try secretOfBlobs(unlessOneHas: named.secret),
        try !isRecent(of: named.secret, sizeMax: recentSizeMax)
      {
        return (others, false)
      }
      return named
    }
    let found: BlobSecret?
    do throws(StoreError) {
      found = try secretOfBlobs(allowingRefused: refusal == nil)
    } catch {
      throw refusal ?? error
    }
    if found == nil, let refusal { throw refusal }
    return found.map { ($0, false) }
  }

  func write(_ secret: BlobSecret) throws(StoreError) {
    var body = ByteWriter()
    secret.encode(to: &body)
    try writeOwn(body, BlobNames.secret, number: Number.secret, store: secret.store)
  }

  /// The secret that all sealed blobs that open agree on, with the highest count of seals
  /// among them; `nil` if there are no sealed blobs.
  private func secretOfBlobs(allowingRefused: Bool) throws(StoreError) -> BlobSecret? {
    let found = try secretsOfBlobs()
    if let refused = found.refused, found.secrets.isEmpty || !allowingRefused {
      throw .wrongKey(path: refused)
    }
    if found.secrets.count > 1 {
      throw .damaged(
        path: path(of: BlobNames.secret, in: root), offset: 0,
        reason: "it is lost, and there are blobs of several stores")
    }
    return found.secrets.first
  }

  /// The secret that all sealed blobs that open agree on; `nil` if one has the known
  /// secret.
  private func secretOfBlobs(unlessOneHas known: BlobSecret) throws(StoreError) -> BlobSecret? {
    let secrets = try secretsOfBlobs(unlessOneHas: known).secrets
    return secrets.count == 1 ? secrets.first : nil
  }

  /// The secrets in sealed blobs, and the first file that doesn't open; no secrets if one
  /// has the known secret.
  private func secretsOfBlobs(
    unlessOneHas known: BlobSecret? = nil
  ) throws(StoreError) -> (secrets: [BlobSecret], refused: String?) {
    var found: [BlobSecret] = []
    var refused: String?
    for (blobClass, place) in classes {
      for name in try names(in: place) {
        guard case .sealedBlob(let digits, _)? = BlobNames.parse(name) else { continue }
        guard let (id, secret) = try start(of: name, in: place),
          BlobNames.digest(of: BlobCore.Key(blobClass: blobClass, id: id), nil, secret) == digits
        else {
          refused = path(of: name, in: place)
          continue
        }
        if let known, known.isSame(as: secret) { return ([], refused) }
        // An adoption that was under way then may be over now.
        var own = secret
        own.isAdopting = false
        if let place = found.firstIndex(where: { $0.isSame(as: own) }) {
          found[place].seals = max(found[place].seals, own.seals)
        } else {
          found.append(own)
        }
      }
    }
    return (found, refused)
  }

  /// Whether the store with this secret wrote the order in which blobs were last used.
  private func isRecent(of secret: BlobSecret, sizeMax: Int) throws(StoreError) -> Bool {
    let found = try readOwn(
      BlobNames.recent, number: Number.recent, sizeMax: sizeMax, throwing: false)
    return found?.0.store == secret.store
  }

  /// The order in which blobs were last used, as written; `nil` if it can't be read.
  func readRecent(_ secret: BlobSecret?, sizeMax: Int) throws(StoreError) -> [UInt8]? {
    guard let secret else {
      return try look(at: BlobNames.recent, in: root, orElse: nil) {
        (file, size) throws(StoreError) -> [UInt8]? in
        // A file much longer than the maximum isn't the store's.
        size <= sizeMax ? try file.read(0..<size) : nil
      } ?? nil
    }
    guard
      let (head, opened) = try readOwn(
        BlobNames.recent, number: Number.recent, sizeMax: sizeMax, throwing: false),
      head.store == secret.store
    else { return nil }
    return opened.content
  }

  func writeRecent(_ text: [UInt8], _ secret: BlobSecret?) throws(StoreError) {
    guard let secret else {
      return try replace(BlobNames.recent, in: root, with: [text]).close()
    }
    var body = ByteWriter(capacity: text.count)
    body.write(text)
    try writeOwn(body, BlobNames.recent, number: Number.recent, store: secret.store)
  }

  private func writeOwn(
    _ body: consuming ByteWriter, _ name: String, number: UInt64, store: UInt64
  ) throws(StoreError) {
    let head = head(.blobNames, store: store, number: number)
    let bytes = try file(head, framing: body, at: path(of: name, in: root))
    try replace(name, in: root, with: [bytes]).close()
  }

  /// Opens one of the store's own files; `nil` if there is none, or it isn't whole.
  private func readOwn(
    _ name: String, number: UInt64, sizeMax: Int, throwing: Bool
  ) throws(StoreError) -> (FileHead, OpenedBody)? {
    let path = path(of: name, in: root)
    let bytes = try look(at: name, in: root, orElse: []) {
      (file, size) throws(StoreError) -> [UInt8] in
      size <= sizeMax + overheadBytes ? try file.read(0..<size) : []
    }
    guard let bytes else { return nil }
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: .blobNames), head.isSealed,
      head.number == number, let body = try? head.onlyFrame(of: bytes)
    else { return nil }
    do throws(StoreError) { return (head, try opened(body, of: bytes, in: head, at: path)) } catch {
      guard error.isDamage else { throw error }
      if throwing { throw .wrongKey(path: path) }
      return nil
    }
  }

  /// The maximum size of the secret's file, without the bytes that sealing adds.
  private var secretSizeMax: Int { 1 << 10 }

  /// What is in the folders of blobs: whether there are files that this store has sealed,
  /// whether there are unsealed blobs, and the number of names.
  func kinds() throws(StoreError) -> (isSealed: Bool, isPlain: Bool, nameCount: Int) {
    let head = try look(at: BlobNames.secret, in: root, orElse: []) {
      (file, _) throws(StoreError) in
      try file.read(0..<FileHead.size)
    }
    var (isAnySealed, isPlain, nameCount) = (false, false, 0)
    for place in classes.values {
      let names = try names(in: place)
      nameCount += names.count
      for name in names {
        switch BlobNames.parse(name) {
        case .sealedBlob: isAnySealed = true
        case .blob: isPlain = true
        default: break
        }
      }
    }
    // A single sealed file beside those of an unsealed store was put there by somebody,
    // whether it is a blob's or that of the secret.
    let isNamed = head.flatMap { FileHead(of: $0) }?.kind == .blobNames
    return (isAnySealed ? isNamed || !isPlain : isNamed && !isPlain, isPlain, nameCount)
  }
}

/// The keyed digest HMAC-SHA-256 (RFC 2104): nobody without the key can tell what was
/// digested.
enum KeyedDigest {
  /// The digest of some bytes with a key of at most 64 bytes.
  static func digest(of bytes: [UInt8], key: [UInt8]) -> SHA256.Digest {
    precondition(key.count <= 64, "a key of \(key.count) bytes, of which 64 can be used")
    let block = key + [UInt8](repeating: 0, count: 64 - key.count)
    let inner = (block.map { $0 ^ 0x36 } + bytes).withUnsafeBytes { SHA256.digest(of: $0) }
    let innerBytes = inner.words.flatMap { word in
      withUnsafeBytes(of: word.bigEndian) { Array($0) }
    }
    return (block.map { $0 ^ 0x5C } + innerBytes).withUnsafeBytes { SHA256.digest(of: $0) }
  }
}
