/// What a store of blobs knows and does, one call at a time.
final class BlobCore: @unchecked Sendable {
  struct Key: Hashable {
    let blobClass: BlobClass
    let id: BlobID
  }

  struct Entry {
    /// The size that its name says.
    var size: Int
    /// How many bytes count for it; `nil` where it is as many as its name says.
    var stored: Int?
    var lastUse: UInt64
    var isPinned = false
    var isUnsent = false

    var bytes: Int { stored ?? size }

    /// Whether it may go without being asked for.
    var mayGo: Bool { !isPinned && !isUnsent }

    /// Whether there is a mark beside the blob.
    func has(_ mark: BlobNames.Mark, in blobClass: BlobClass) -> Bool {
      switch mark {
      case .pinned: isPinned
      case .unsent: isUnsent && blobClass != .uploads
      case .sent: !isUnsent && blobClass == .uploads
      }
    }
  }

  let folder: BlobFolder
  let options: BlobStoreOptions
  private let monitor = Monitor()
  // All below are guarded by the monitor, but while the store is opened.
  var entries: [Key: Entry] = [:]
  var bytes: [BlobClass: Int] = [:]
  var tick: UInt64 = 0
  var usesSinceWritten = 0
  var isDiskNearlyFull = false
  var isToldOfSoftLimit: Set<BlobClass> = []
  var events: [BlobEvent] = []
  /// What files are named with; `nil` where nothing is sealed.
  var secret: BlobSecret?
  /// How often something had been sealed before the store was opened, and up to how often
  /// it is noted on disk.
  var sealsBefore: UInt64 = 0
  var sealsReserved: UInt64 = 0
  /// How long the file can be that says in which order blobs were used, at most.
  var recentSizeMax = 0
  /// Whether blobs that weren't sealed were taken over, when the store was opened.
  var wasUnsealed = false
  /// Why nothing more is put in: it isn't known what is on disk.
  private var failure: StoreError?
  private var isClosed = false

  init(_ path: String, _ options: BlobStoreOptions) throws(StoreError) {
    self.options = options
    folder = try BlobFolder(path, in: options.fileSystem, sealing: options.sealing)
    do throws(StoreError) {
      try beginSealing()
      let order = (try? recency()) ?? []
      for blobClass in BlobClass.allCases { try list(blobClass, knowing: order) }
      use(inOrder: order)
      try makeRoom()
    } catch {
      folder.close()
      throw error
    }
    tell()
  }

  /// Does something alone, and then tells of what happened.
  func perform<Value>(_ body: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    defer { tell() }
    return try monitor.withLock { () throws(StoreError) in
      guard !isClosed else { throw .closed(path: folder.path) }
      do throws(StoreError) { return try body() } catch {
        if case .stopped = error { failure = error }
        throw error
      }
    }
  }

  func close() {
    monitor.withLock {
      guard !isClosed else { return }
      isClosed = true
      // The order is sealed once more after this, and then the count is right.
      try? writeSecret(reserving: 1)
      try? writeRecency()
      folder.close()
    }
  }

  /// Refuses to put anything in where it isn't known what is on disk.
  func checkWritable() throws(StoreError) {
    if let failure { throw failure }
  }

  private func tell() {
    let events = monitor.withLock {
      defer { self.events = [] }
      return self.events
    }
    for event in events { options.onEvent(event) }
  }
}

extension BlobCore {
  func put(
    _ newBytes: [UInt8], as blobClass: BlobClass, isSent: Bool
  ) throws(StoreError) -> BlobID {
    let id = BlobID(of: newBytes)
    return try perform { () throws(StoreError) in
      try checkWritable()
      let key = Key(blobClass: blobClass, id: id)
      var isUnsent = !isSent || blobClass == .uploads
      let known = entries[key]
      if let known {
        if try holds(newBytes, key, known) {
          if isUnsent, !known.isUnsent { try setUnsent(key) }
          use(key)
          return id
        }
        isUnsent = isUnsent || known.isUnsent
      }
      try makeRoom(for: newBytes.count, in: blobClass)
      try write(newBytes, key, isUnsent: isUnsent)
      let isPinned = known?.isPinned ?? false
      add(
        key, Entry(size: newBytes.count, lastUse: 0, isPinned: isPinned, isUnsent: isUnsent))
      use(key)
      tellOfSoftLimit(blobClass)
      return id
    }
  }

  /// Whether a blob that is known is there as it was put in; sets aside one that isn't.
  private func holds(
    _ bytes: [UInt8], _ key: Key, _ entry: Entry
  ) throws(StoreError) -> Bool {
    let found: BlobFolder.Found
    do throws(StoreError) {
      found = try folder.read(key, size: entry.size, secret, in: place(key))
    } catch {
      guard case .wrongKey = error else { throw error }
      // What was to be put in is at hand.
      forget(key)
      return false
    }
    if found.bytes == bytes { return true }
    _ = try setAside(key, isThere: found.isThere)
    return false
  }

  /// Writes a blob, and before that whether it is sent: the blob's name and the mark's
  /// come to be durable at once.
  private func write(_ bytes: [UInt8], _ key: Key, isUnsent: Bool) throws(StoreError) {
    try reserveSeals(2)
    let mark = name(.unsent, of: key)
    let isUpload = key.blobClass == .uploads
    let isMarked = isUnsent && !isUpload
    if isUpload { try folder.removeIfThere(name(.sent, of: key), in: place(key)) }
    if isMarked { try folder.mark(mark, in: place(key)) }
    do throws(StoreError) { try folder.write(bytes, key, secret, in: place(key)) } catch {
      // Otherwise the blob would count as not sent when it is put in as one that is.
      if isMarked { try? folder.remove(mark, in: place(key)) }
      throw error
    }
  }

  func get(_ id: BlobID) throws(StoreError) -> [UInt8]? {
    try perform { () throws(StoreError) in
      var failure: StoreError?
      for key in keys(id) {
        guard let entry = entries[key] else { continue }
        do throws(StoreError) {
          let found = try folder.read(key, size: entry.size, secret, in: place(key))
          if let bytes = found.bytes, BlobID(of: bytes) == id {
            use(key)
            return bytes
          }
          failure = try setAside(key, isThere: found.isThere) ?? failure
        } catch {
          // It may be whole in another class.
          failure = error
        }
      }
      if let failure { throw failure }
      return nil
    }
  }

  /// Moves a blob that isn't what it was to the quarantine, and forgets it.
  func setAside(_ key: Key, isThere: Bool) throws(StoreError) -> StoreError? {
    if isThere, let entry = entries[key] {
      let name = BlobNames.blob(key, size: entry.size, secret)
      let path = try folder.setAside(name, in: place(key))
      events.append(.damaged(key.id, path: path))
      forget(key)
      return .damaged(path: path, offset: 0, reason: "the bytes are not those that were put in")
    }
    // Somebody has removed the file.
    forget(key)
    return nil
  }

  func markSent(_ id: BlobID) throws(StoreError) {
    try perform { () throws(StoreError) in
      for key in keys(id) where entries[key]?.isUnsent == true {
        if key.blobClass != .uploads {
          try clear(.unsent, of: key)
        } else if entries[key]?.isPinned == true {
          try set(.sent, of: key)
        } else {
          try remove(key)
        }
        try folder.synchronizeNames(in: place(key))
      }
      try makeRoom()
    }
  }

  func setPinned(_ id: BlobID, _ isPinned: Bool) throws(StoreError) -> Bool {
    try perform { () throws(StoreError) in
      try checkWritable()
      let isThere = !keys(id).isEmpty
      for key in keys(id) where entries[key]?.isPinned == !isPinned {
        if isPinned { try set(.pinned, of: key) } else { try clear(.pinned, of: key) }
        // It was sent before, and only the pin has kept it.
        if !isPinned, isNeedless(key) { try remove(key) }
        try folder.synchronizeNames(in: place(key))
      }
      return isThere
    }
  }

  func remove(_ id: BlobID, evenIfUnsent: Bool) throws(StoreError) -> Bool {
    try perform { () throws(StoreError) in
      for key in keys(id) where evenIfUnsent || entries[key]?.isUnsent == false {
        try remove(key)
        try folder.synchronizeNames(in: place(key))
      }
      return keys(id).isEmpty
    }
  }

  func clearCache() throws(StoreError) -> Int {
    try perform { () throws(StoreError) in
      var freed = 0
      for (key, entry) in entries where key.blobClass.isCache && entry.mayGo {
        try remove(key)
        freed += entry.bytes
      }
      return freed
    }
  }
}

extension BlobCore {
  func place(_ key: Key) -> OpenFile { folder.classes[key.blobClass] ?? folder.root }

  func name(_ mark: BlobNames.Mark, of key: Key) -> String {
    BlobNames.mark(mark, of: key, secret)
  }

  /// The places where there is a blob.
  func keys(_ id: BlobID) -> [Key] {
    BlobClass.allCases.map { Key(blobClass: $0, id: id) }.filter { entries[$0] != nil }
  }

  func add(_ key: Key, _ entry: Entry) {
    entries[key] = entry
    bytes[key.blobClass, default: 0] += entry.bytes
  }

  func forget(_ key: Key) {
    guard let entry = entries.removeValue(forKey: key) else { return }
    bytes[key.blobClass, default: 0] -= entry.bytes
  }

  private func use(_ key: Key) {
    tick += 1
    entries[key]?.lastUse = tick
    usesSinceWritten += 1
    // Whatever it fails for, only the order is lost.
    if usesSinceWritten >= max(64, entries.count) { try? writeRecency() }
  }

  private func set(_ mark: BlobNames.Mark, of key: Key) throws(StoreError) {
    try folder.mark(name(mark, of: key), in: place(key))
    try folder.synchronizeNames(in: place(key))
    note(mark, true, of: key)
  }

  private func clear(_ mark: BlobNames.Mark, of key: Key) throws(StoreError) {
    try folder.removeIfThere(name(mark, of: key), in: place(key))
    note(mark, false, of: key)
  }

  private func note(_ mark: BlobNames.Mark, _ isSet: Bool, of key: Key) {
    switch mark {
    case .pinned: entries[key]?.isPinned = isSet
    case .unsent: entries[key]?.isUnsent = isSet
    case .sent: entries[key]?.isUnsent = !isSet
    }
  }

  /// Says that a blob isn't sent yet, or no longer.
  private func setUnsent(_ key: Key) throws(StoreError) {
    guard key.blobClass == .uploads else { return try set(.unsent, of: key) }
    try clear(.sent, of: key)
    try folder.synchronizeNames(in: place(key))
  }

  /// Whether a blob is an upload that was sent and isn't pinned.
  func isNeedless(_ key: Key) -> Bool {
    key.blobClass == .uploads && entries[key]?.mayGo == true
  }

  /// Removes a blob and its marks, the blob first: marks alone mean nothing.
  func remove(_ key: Key) throws(StoreError) {
    guard let entry = entries[key] else { return }
    try folder.removeIfThere(BlobNames.blob(key, size: entry.size, secret), in: place(key))
    forget(key)
    for mark in BlobNames.Mark.allCases where entry.has(mark, in: key.blobClass) {
      try folder.removeIfThere(name(mark, of: key), in: place(key))
    }
  }
}
