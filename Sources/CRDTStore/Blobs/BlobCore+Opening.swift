import CRDTKit

extension BlobCore {
  /// Lists the blobs of a class, and removes what is left of calls that were cut short.
  ///
  /// Files of others are left alone.
  func list(_ blobClass: BlobClass) throws(StoreError) {
    guard let place = folder.classes[blobClass] else { return }
    var marks: [BlobNames.Mark: Set<BlobID>] = [:]
    var sizes: [BlobID: Int] = [:]
    for name in try folder.names(in: place) {
      switch BlobNames.parse(name) {
      case .blob(let id, let size):
        // Two sizes can't both be right; reading finds out.
        if sizes.updateValue(size, forKey: id) != nil { continue }
      case .mark(let mark, let id): marks[mark, default: []].insert(id)
      case .unfinished: try folder.removeIfThere(name, in: place)
      case nil: continue
      }
    }
    for (id, size) in sizes {
      let key = Key(blobClass: blobClass, id: id)
      let isUnsent =
        blobClass == .uploads
        ? marks[.sent]?.contains(id) != true : marks[.unsent]?.contains(id) == true
      let isPinned = marks[.pinned]?.contains(id) == true
      add(key, Entry(size: size, lastUse: 0, isPinned: isPinned, isUnsent: isUnsent))
      if blobClass == .temporary, !isPinned, !isUnsent { try remove(key) }
      if isNeedless(key) { try remove(key) }
    }
    for (mark, ids) in marks {
      for id in ids where sizes[id] == nil {
        try folder.removeIfThere(BlobNames.mark(mark, of: id), in: place)
      }
    }
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
    // What is longer than it can be isn't ours.
    let size = try file.size()
    guard size <= 1 << 28 else { return nil }
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
