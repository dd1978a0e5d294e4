extension BlobCore {
  /// The limits of a class as they are now.
  func limits(of blobClass: BlobClass) -> BlobLimits? {
    let limits = options.limits[blobClass]
    return isDiskNearlyFull && blobClass.isCache ? limits?.halved : limits
  }

  /// Lets caches keep to their limits, which a disk that is nearly full halves.
  func makeRoom() throws(StoreError) {
    try lookAtDisk()
    for blobClass in BlobClass.allCases where blobClass.isCache {
      guard let limits = limits(of: blobClass) else { continue }
      if bytes[blobClass, default: 0] > limits.hardBytes { try evict(blobClass, limits, for: 0) }
    }
  }

  /// Makes room for a blob, or refuses it.
  func makeRoom(for size: Int, in blobClass: BlobClass) throws(StoreError) {
    try makeRoom()
    guard size <= BlobNames.sizeMax else { throw .tooLarge(bytes: size, max: BlobNames.sizeMax) }
    if let limits = limits(of: blobClass) {
      // A blob that won't fit in the end needn't drive others out first.
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

  private func bytesThatMayGo(in blobClass: BlobClass) -> Int {
    entries.reduce(0) { sum, entry in
      entry.key.blobClass == blobClass && entry.value.mayGo ? sum + entry.value.bytes : sum
    }
  }

  /// Removes the least recently used blobs, down to the soft limit, so that it needn't
  /// be done for each blob that comes.
  private func evict(
    _ blobClass: BlobClass, _ limits: BlobLimits, for size: Int
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
    let isNearlyFull = free < options.freeBytesMin
    if isNearlyFull, !isDiskNearlyFull { events.append(.diskNearlyFull(freeBytes: free)) }
    isDiskNearlyFull = isNearlyFull
  }

  /// Tells once when a class comes to take more than its soft limit.
  func tellOfSoftLimit(_ blobClass: BlobClass) {
    guard let limits = limits(of: blobClass) else { return }
    let total = bytes[blobClass, default: 0]
    if total <= limits.softBytes {
      isToldOfSoftLimit.remove(blobClass)
    } else if isToldOfSoftLimit.insert(blobClass).inserted {
      events.append(.softLimit(blobClass, bytes: total, max: limits.softBytes))
    }
  }

  func usage() -> [BlobClass: BlobUsage] {
    var usage = Dictionary(uniqueKeysWithValues: BlobClass.allCases.map { ($0, BlobUsage()) })
    for (key, entry) in entries {
      usage[key.blobClass]?.count += 1
      usage[key.blobClass]?.bytes += entry.bytes
      if entry.isUnsent { usage[key.blobClass]?.unsentBytes += entry.bytes }
      if entry.isPinned { usage[key.blobClass]?.pinnedBytes += entry.bytes }
    }
    return usage
  }
}
