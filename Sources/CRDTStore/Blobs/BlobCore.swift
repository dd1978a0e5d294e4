/// The state and the operations of a blob store, one call at a time.
final class BlobCore: @unchecked Sendable {
  struct Key: Hashable {
    let blobClass: BlobStore.BlobClass
    let id: BlobID
  }

  struct Entry {
    /// The size in the file's name.
    var size: Int
    /// The number of bytes that count for the blob; `nil` if it is the size in the name.
    var stored: Int?
    var lastUse: UInt64
    var isPinned = false
    var isUnsent = false

    var bytes: Int { stored ?? size }

    /// Whether the blob may be removed automatically.
    var mayGo: Bool { !isPinned && !isUnsent }

    /// Whether a mark is beside the blob.
    func has(_ mark: BlobNames.Mark, in blobClass: BlobStore.BlobClass) -> Bool {
      switch mark {
      case .pinned: isPinned
      case .unsent: isUnsent && blobClass != .uploads
      case .sent: !isUnsent && blobClass == .uploads
      }
    }
  }

  let folder: BlobFolder
  let options: BlobStore.Options
  private let monitor = Monitor()
  // The monitor guards everything below, except while the store is being opened.
  var entries: [Key: Entry] = [:]
  var bytes: [BlobStore.BlobClass: Int] = [:]
  var tick: UInt64 = 0
  var usesSinceWritten = 0
  var isDiskNearlyFull = false
  var isToldOfSoftLimit: Set<BlobStore.BlobClass> = []
  var events: [BlobStore.Event] = []
  /// The secret that file names are made with; `nil` if nothing is sealed.
  var secret: BlobSecret?
  /// The number of seals before the store was opened; the other is the number up to which
  /// it is recorded on disk.
  var sealsBefore: UInt64 = 0
  var sealsReserved: UInt64 = 0
  /// The maximum size of the file with the order in which blobs were used.
  var recentSizeMax = 0
  /// Whether unsealed blobs were adopted when the store was opened.
  var wasUnsealed = false
  /// Why the store accepts no more blobs: it isn't known what is on disk.
  private var failure: StoreError?
  private var isClosed = false

  init(_ path: String, _ options: BlobStore.Options) throws(StoreError) {
    self.options = options
    folder = try BlobFolder(path, in: options.fileSystem, sealing: options.sealing)
    do throws(StoreError) {
      try beginSealing()
      let order = (try? recency()) ?? []
      for blobClass in BlobStore.BlobClass.allCases { try list(blobClass, knowing: order) }
      use(inOrder: order)
      try makeRoom()
    } catch {
      folder.close()
      throw error
    }
    tell()
  }

  /// Runs a body exclusively, and then sends the events.
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
      // The order is sealed once more after this, which makes the count right.
      try? writeSecret(reserving: 1)
      try? writeRecency()
      folder.close()
    }
  }

  /// Throws if it isn't known what is on disk.
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
    _ newBytes: [UInt8], as blobClass: BlobStore.BlobClass, isSent: Bool
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

  /// Whether a known blob is unchanged on disk; sets aside a changed one.
  private func holds(
    _ bytes: [UInt8], _ key: Key, _ entry: Entry
  ) throws(StoreError) -> Bool {
    let found: BlobFolder.Found
    do throws(StoreError) {
      found = try folder.read(key, size: entry.size, secret, in: place(key))
    } catch {
      guard case .wrongKey = error else { throw error }
      // The new bytes are at hand.
      forget(key)
      return false
    }
    if found.bytes == bytes { return true }
    _ = try setAside(key, isThere: found.isThere)
    return false
  }

  /// Writes a blob, and before it the mark that says whether it is sent: both names become
  /// durable at once.
  private func write(_ bytes: [UInt8], _ key: Key, isUnsent: Bool) throws(StoreError) {
    try reserveSeals(2)
    let mark = name(.unsent, of: key)
    let isUpload = key.blobClass == .uploads
    let isMarked = isUnsent && !isUpload
    if isUpload { try folder.removeIfThere(name(.sent, of: key), in: place(key)) }
    if isMarked { try folder.mark(mark, in: place(key)) }
    do throws(StoreError) { try folder.write(bytes, key, secret, in: place(key)) } catch {
      // Otherwise the blob would count as unsent when it is stored again as a sent one.
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

  /// Moves a changed blob to the quarantine, and forgets it.
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

  /// The classes that have a blob.
  func keys(_ id: BlobID) -> [Key] {
    BlobStore.BlobClass.allCases.map { Key(blobClass: $0, id: id) }.filter { entries[$0] != nil }
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
    // Whatever the error is, only the order is lost.
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

  /// Records that a blob isn't sent yet, or no longer.
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
