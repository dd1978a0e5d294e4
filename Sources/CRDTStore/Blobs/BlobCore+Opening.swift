import CRDTKit

extension BlobCore {
  /// Lists the blobs of a class, and removes the files of interrupted calls.
  ///
  /// It leaves other files alone. It also leaves and reports files that somebody has put
  /// beside sealed ones, and then removes nothing that might belong to them. If a sealed
  /// file's blob is in an order of blobs that may be there, the file itself needn't be
  /// read.
  func list(_ blobClass: BlobStore.BlobClass, knowing order: [Key]) throws(StoreError) {
    guard let place = folder.classes[blobClass] else { return }
    var known: [String: BlobID] = [:]
    if let secret {
      for key in order where key.blobClass == blobClass {
        known[BlobNames.digest(of: key, nil, secret)] = key.id
      }
    }
    var marks: Set<String> = []
    var (sizes, isAnyRefused): ([BlobID: (named: Int, found: Int)], Bool) = ([:], false)
    for name in try folder.names(in: place).sorted() {
      var blob: (id: BlobID, size: Int)?
      switch BlobNames.parse(name) {
      case .blob(let id, let size): blob = secret == nil ? (id, size) : nil
      case .sealedBlob(let digits, let size):
        if let id = known[digits] {
          blob = (id, size)
        } else if let id = try id(of: name, digits, in: blobClass) {
          blob = (id, size)
        }
      case .mark where secret == nil, .sealedMark where secret != nil:
        marks.insert(name)
        continue
      case .unfinished:
        try folder.discard(name, in: place)
        continue
      case .mark, .sealedMark, nil: continue
      }
      if let blob {
        let key = Key(blobClass: blobClass, id: blob.id)
        let known = sizes[blob.id]?.named
        guard let found = try counted(name, of: key, blob.size, in: place, known) else { continue }
        sizes[blob.id] = (blob.size, found)
      } else {
        isAnyRefused = true
        events.append(.refused(path: folder.path(of: name, in: place)))
      }
    }
    for (id, size) in sizes {
      let key = Key(blobClass: blobClass, id: id)
      func isThere(_ mark: BlobNames.Mark) -> Bool {
        !marks.isEmpty && marks.remove(name(mark, of: key)) != nil
      }
      let (isPinned, isMarkedUnsent, isMarkedSent) = (
        isThere(.pinned), isThere(.unsent), isThere(.sent)
      )
      let isUnsent = blobClass == .uploads ? !isMarkedSent : isMarkedUnsent
      var entry = Entry(size: size.named, lastUse: 0, isPinned: isPinned, isUnsent: isUnsent)
      entry.stored = min(size.named, size.found)
      add(key, entry)
      if blobClass == .temporary, !isPinned, !isUnsent { try remove(key) }
      if isNeedless(key) { try remove(key) }
    }
    if isAnyRefused { return }
    for name in marks { try folder.discard(name, in: place) }
  }

  /// The blob of a sealed file; `nil` if it isn't one of this store at this place.
  private func id(
    of name: String, _ digits: String, in blobClass: BlobStore.BlobClass
  ) throws(StoreError) -> BlobID? {
    guard let secret, let place = folder.classes[blobClass],
      let (id, found) = try folder.start(of: name, in: place), found.isSame(as: secret),
      BlobNames.digest(of: Key(blobClass: blobClass, id: id), nil, secret) == digits
    else { return nil }
    return id
  }

  /// The size of a file whose name gives a blob and its size; `nil` if the file doesn't
  /// count for the blob.
  ///
  /// A name alone is no blob. Of several files for one blob, the one with its bytes counts.
  private func counted(
    _ name: String, of key: Key, _ size: Int, in place: OpenFile, _ known: Int?
  ) throws(StoreError) -> Int? {
    var found = 0
    do throws(StoreError) {
      guard let size = try folder.size(of: name, in: place) else { return nil }
      found = size
    } catch {
      guard case .system(let cause, _) = error else { throw error }
      // Something that is no file would block the blob's name.
      if cause.isNoFile {
        events.append(.damaged(key.id, path: try folder.setAside(name, in: place)))
        return nil
      }
    }
    guard let known else { return found }
    let former = try? folder.read(key, size: known, secret, in: place)
    let isOther = secret == nil ? found != size : found < size
    return former?.bytes.map { BlobID(of: $0) } == key.id || isOther ? nil : found
  }

  /// Writes the order in which blobs were last used.
  func writeRecency() throws(StoreError) {
    usesSinceWritten = 0
    try reserveSeals(1)
    let order = entries.sorted { $0.value.lastUse < $1.value.lastUse }
    let lines = order.map { "\($0.key.id.text) \($0.key.blobClass.rawValue)\n" }.joined()
    let checksum = Array(lines.utf8).withUnsafeBytes { CRC32C.checksum($0) }
    let text = "recent 1 \(String(checksum, radix: 16))\n\(lines)"
    try folder.writeRecent(Array(text.utf8), secret)
  }

  /// Records the order in which blobs were used, as far as it is known.
  ///
  /// A blob that isn't in the order counts as used last.
  func use(inOrder order: [Key]) {
    tick = UInt64(order.count)
    for key in entries.keys { entries[key]?.lastUse = tick }
    for (rank, key) in order.enumerated() { entries[key]?.lastUse = UInt64(rank) }
  }

  /// The order in which blobs were used, as far as it can be read.
  func recency() throws(StoreError) -> [Key] {
    guard let bytes = try folder.readRecent(secret, sizeMax: recentSizeMax) else { return [] }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return [] }
    let checksum = Array(bytes[(end + 1)...]).withUnsafeBytes { CRC32C.checksum($0) }
    let head = "recent 1 \(String(checksum, radix: 16))"
    guard bytes[..<end].elementsEqual(head.utf8) else { return [] }
    var order: [Key] = []
    for line in bytes[(end + 1)...].split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
      guard words.count == 2, let id = BlobID(words[0]),
        let blobClass = BlobStore.BlobClass(rawValue: words[1])
      else { continue }
      order.append(Key(blobClass: blobClass, id: id))
    }
    return order
  }
}

extension BlobCore {
  /// The present limits of a class.
  func limits(of blobClass: BlobStore.BlobClass) -> BlobStore.Limits? {
    let limits = options.limits[blobClass]
    return isDiskNearlyFull && blobClass.isCache ? limits?.halved : limits
  }

  /// Makes caches keep their limits, which are halved if the disk is nearly full.
  func makeRoom() throws(StoreError) {
    try lookAtDisk()
    for blobClass in BlobStore.BlobClass.allCases where blobClass.isCache {
      guard let limits = limits(of: blobClass) else { continue }
      if bytes[blobClass, default: 0] > limits.hardBytes { try evict(blobClass, limits, for: 0) }
    }
  }

  /// Makes room for a blob, or throws.
  func makeRoom(for size: Int, in blobClass: BlobStore.BlobClass) throws(StoreError) {
    try makeRoom()
    guard size <= BlobNames.sizeMax else { throw .tooLarge(bytes: size, max: BlobNames.sizeMax) }
    if let limits = limits(of: blobClass) {
      // Don't remove other blobs for one that won't fit in the end.
      guard size <= limits.hardBytes else { throw .tooLarge(bytes: size, max: limits.hardBytes) }
      let total = bytes[blobClass, default: 0]
      if total > limits.hardBytes - size {
        let mayGo = blobClass.isCache ? bytesThatMayGo(in: blobClass) : 0
        guard total - mayGo <= limits.hardBytes - size else {
          throw .storageLimit(bytes: total, max: limits.hardBytes)
        }
        try evict(blobClass, limits, for: size)
      }
    }
    let free = try folder.freeBytes()
    guard free >= size else { throw .noSpace(free: free, needed: size) }
  }

  private func bytesThatMayGo(in blobClass: BlobStore.BlobClass) -> Int {
    entries.reduce(0) { sum, entry in
      entry.key.blobClass == blobClass && entry.value.mayGo ? sum + entry.value.bytes : sum
    }
  }

  /// Removes the least recently used blobs down to the soft limit, so that it isn't
  /// necessary for each new blob.
  private func evict(
    _ blobClass: BlobStore.BlobClass, _ limits: BlobStore.Limits, for size: Int
  ) throws(StoreError) {
    let target = max(0, min(limits.softBytes, limits.hardBytes) - size)
    let candidates = entries.filter { $0.key.blobClass == blobClass && $0.value.mayGo }
    var (count, freed) = (0, 0)
    for (key, entry) in candidates.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
      if bytes[blobClass, default: 0] <= target { break }
      try remove(key)
      count += 1
      freed += entry.bytes
    }
    if count > 0 { events.append(.evicted(blobClass, count: count, bytes: freed)) }
    tellOfSoftLimit(blobClass)
  }

  private func lookAtDisk() throws(StoreError) {
    let free = try folder.freeBytes()
    let isNearlyFull = free < options.minimumFreeBytes
    if isNearlyFull, !isDiskNearlyFull { events.append(.diskNearlyFull(freeBytes: free)) }
    isDiskNearlyFull = isNearlyFull
  }

  /// Reports once when a class exceeds its soft limit.
  func tellOfSoftLimit(_ blobClass: BlobStore.BlobClass) {
    guard let limits = limits(of: blobClass) else { return }
    let total = bytes[blobClass, default: 0]
    if total <= limits.softBytes {
      isToldOfSoftLimit.remove(blobClass)
    } else if isToldOfSoftLimit.insert(blobClass).inserted {
      events.append(.softLimit(blobClass, bytes: total, max: limits.softBytes))
    }
  }

  func usage() -> [BlobStore.BlobClass: BlobStore.Usage] {
    var usage = Dictionary(
      uniqueKeysWithValues: BlobStore.BlobClass.allCases.map { ($0, BlobStore.Usage()) })
    for (key, entry) in entries {
      usage[key.blobClass]?.count += 1
      usage[key.blobClass]?.bytes += entry.bytes
      if entry.isUnsent { usage[key.blobClass]?.unsentBytes += entry.bytes }
      if entry.isPinned { usage[key.blobClass]?.pinnedBytes += entry.bytes }
    }
    return usage
  }
}
