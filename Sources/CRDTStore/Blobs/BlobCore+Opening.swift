import CRDTKit

extension BlobCore {
  /// Lists the blobs of a class, and removes what is left of calls that were cut short.
  ///
  /// Files of others are left alone.
  func list(_ blobClass: BlobClass) throws(StoreError) {
    guard let place = folder.classes[blobClass] else { return }
    var marks: [BlobNames.Mark: Set<BlobID>] = [:]
    var sizes: [BlobID: (named: Int, found: Int)] = [:]
    for name in try folder.names(in: place).sorted() {
      switch BlobNames.parse(name) {
      case .blob(let id, let size):
        guard let found = try counted(name, of: id, size, in: place, sizes[id]?.named) else {
          continue
        }
        sizes[id] = (size, found)
      case .mark(let mark, let id): marks[mark, default: []].insert(id)
      case .unfinished: try folder.discard(name, in: place)
      case nil: continue
      }
    }
    for (id, size) in sizes {
      let key = Key(blobClass: blobClass, id: id)
      let isUnsent =
        blobClass == .uploads
        ? marks[.sent]?.contains(id) != true : marks[.unsent]?.contains(id) == true
      let isPinned = marks[.pinned]?.contains(id) == true
      var entry = Entry(size: size.named, lastUse: 0, isPinned: isPinned, isUnsent: isUnsent)
      entry.stored = min(size.named, size.found)
      add(key, entry)
      if blobClass == .temporary, !isPinned, !isUnsent { try remove(key) }
      if isNeedless(key) { try remove(key) }
    }
    for (mark, ids) in marks {
      for id in ids where sizes[id] == nil {
        try folder.discard(BlobNames.mark(mark, of: id), in: place)
      }
    }
  }

  /// How many bytes the file has whose name says a blob and its size; `nil` where it doesn't
  /// count for the blob.
  ///
  /// A name alone is no blob. Where several are of one, that counts which has its bytes.
  private func counted(
    _ name: String, of id: BlobID, _ size: Int, in place: OpenFile, _ known: Int?
  ) throws(StoreError) -> Int? {
    var found = 0
    do throws(StoreError) {
      guard let size = try folder.size(of: name, in: place) else { return nil }
      found = size
    } catch {
      guard case .system(let cause, _) = error else { throw error }
      // What is no file would be in the way of the blob.
      if cause.isNoFile {
        events.append(.damaged(id, path: try folder.setAside(name, in: place)))
        return nil
      }
    }
    guard let known else { return found }
    let former = try? read(BlobNames.blob(id, size: known), known, in: place)
    return former.map { BlobID(of: $0) } == id || found != size ? nil : found
  }

  /// Writes the blobs in the order in which they were used last.
  func writeRecency() throws(StoreError) {
    usesSinceWritten = 0
    let order = entries.sorted { $0.value.lastUse < $1.value.lastUse }
    let lines = order.map { "\($0.key.id.text) \($0.key.blobClass.rawValue)\n" }.joined()
    let checksum = Array(lines.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    let text = "recent 1 \(String(checksum, radix: 16))\n\(lines)"
    try folder.replace(BlobNames.recent, in: folder.root, with: [Array(text.utf8)]).close()
  }

  /// Reads in which order the blobs were used, as far as that can be read.
  ///
  /// A blob of which it isn't known counts as used last.
  func readRecency() {
    let ranks = (try? recency()) ?? [:]
    tick = UInt64(ranks.count)
    for key in entries.keys { entries[key]?.lastUse = ranks[key] ?? tick }
  }

  private func recency() throws(StoreError) -> [Key: UInt64]? {
    guard let file = try folder.open(BlobNames.recent, in: folder.root, for: .reading) else {
      return nil
    }
    defer { file.close() }
    // What is much longer than it can be isn't ours: a line has less than 100 bytes.
    let size = try file.size()
    guard size <= 1 << 16 + 200 * entries.count else { return nil }
    let bytes = try file.read(0..<size)
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    let checksum = Array(bytes[(end + 1)...]).withUnsafeBytes { CRC32C.checksum($0) }
    let head = "recent 1 \(String(checksum, radix: 16))"
    guard bytes[..<end].elementsEqual(head.utf8) else { return nil }
    var ranks: [Key: UInt64] = [:]
    for line in bytes[(end + 1)...].split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
      guard words.count == 2, let id = BlobID(words[0]),
        let blobClass = BlobClass(rawValue: words[1])
      else { continue }
      ranks[Key(blobClass: blobClass, id: id)] = UInt64(ranks.count)
    }
    return ranks
  }
}
