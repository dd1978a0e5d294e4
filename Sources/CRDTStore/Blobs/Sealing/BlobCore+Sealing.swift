import CRDTKit

extension BlobCore {
  /// The number of seals that are recorded in advance: a crash may make the count this much
  /// too high.
  private static let sealsAhead: UInt64 = 1_024

  /// Finds or makes the secret that a sealed store names its files by; unsealed files are
  /// refused, unless the app adopts them.
  func beginSealing() throws(StoreError) {
    let kinds = try folder.kinds()
    // A line has less than 100 bytes.
    recentSizeMax = 1 << 16 + 200 * kinds.nameCount
    guard folder.sealing != nil else {
      if kinds.isSealed { throw .sealed(path: folder.path) }
      return
    }
    let found = try folder.readSecret(recentSizeMax: recentSizeMax)
    let isAdopting = found.map(\.secret.isAdopting) ?? kinds.isPlain
    guard !isAdopting || options.adoptsUnsealedFiles else { throw .notSealed(path: folder.path) }
    var secret = found?.secret ?? BlobSecret(options.makeNumber)
    secret.isAdopting = isAdopting
    self.secret = secret
    (sealsBefore, sealsReserved) = (secret.seals, secret.seals)
    if found?.isInPlace != true { try writeSecret(reserving: Self.sealsAhead) }
    if isAdopting { try adopt() }
  }

  /// The number of seals.
  var seals: UInt64 { sealsBefore &+ folder.sealCount }

  /// Records that this many seals follow: a crash must not make the count too low.
  func reserveSeals(_ count: UInt64) throws(StoreError) {
    if secret != nil, seals + count > sealsReserved {
      try writeSecret(reserving: Self.sealsAhead)
    }
  }

  /// Records that this many seals may follow.
  func writeSecret(reserving count: UInt64) throws(StoreError) {
    guard var next = secret else { return }
    // Writing the secret is a seal too.
    next.seals = seals + 1 + count
    try folder.write(next)
    (secret, sealsReserved) = (next, next.seals)
  }

  /// Seals all blobs anew, and then everything else.
  func reseal() throws(StoreError) {
    try perform { () throws(StoreError) in
      try checkWritable()
      guard secret != nil else { return }
      for (key, entry) in entries.sorted(by: { $0.key.id.text < $1.key.id.text }) {
        do throws(StoreError) { try reseal(key, size: entry.size) } catch {
          // Neither key opens it, so somebody has put it there.
          guard case .wrongKey(let path) = error else { throw error }
          events.append(.refused(path: path))
        }
      }
      try writeRecency()
      try writeSecret(reserving: Self.sealsAhead)
    }
  }

  private func reseal(_ key: Key, size: Int) throws(StoreError) {
    let found = try folder.read(key, size: size, secret, in: place(key))
    if let bytes = found.bytes, BlobID(of: bytes) == key.id {
      try reserveSeals(2)
      try folder.write(bytes, key, secret, in: place(key))
    } else {
      _ = try setAside(key, isThere: found.isThere)
    }
  }

  /// Seals the blobs of a store that wasn't sealed, one after another.
  ///
  /// A blob and its marks are removed only when its sealed file is durable, with the same
  /// marks. Until all are sealed, the secret says that adoption is under way.
  private func adopt() throws(StoreError) {
    wasUnsealed = true
    for blobClass in BlobStore.BlobClass.allCases {
      guard let place = folder.classes[blobClass] else { continue }
      let names = try folder.names(in: place)
      var marks: [BlobID: [BlobNames.Mark]] = [:]
      for name in names {
        if case .mark(let mark, let id)? = BlobNames.parse(name) {
          marks[id, default: []] += [mark]
        }
      }
      for name in names {
        guard case .blob(let id, let size)? = BlobNames.parse(name) else { continue }
        let key = Key(blobClass: blobClass, id: id)
        try adopt(key, size: size, marks[id] ?? [], in: place)
      }
      for (id, marks) in marks {
        for mark in marks {
          let key = Key(blobClass: blobClass, id: id)
          try folder.discard(BlobNames.mark(mark, of: key, nil), in: place)
        }
      }
      try folder.synchronizeNames(in: place)
    }
    secret?.isAdopting = false
    try writeRecency()
    try writeSecret(reserving: Self.sealsAhead)
  }

  private func adopt(
    _ key: Key, size: Int, _ marks: [BlobNames.Mark], in place: OpenFile
  ) throws(StoreError) {
    let name = BlobNames.blob(key, size: size, nil)
    let found = try folder.read(key, size: size, nil, in: place)
    guard let bytes = found.bytes, BlobID(of: bytes) == key.id, bytes.count == size else {
      if found.isThere {
        events.append(.damaged(key.id, path: try folder.setAside(name, in: place)))
      }
      return
    }
    for mark in marks { try folder.mark(BlobNames.mark(mark, of: key, secret), in: place) }
    try reserveSeals(2)
    try folder.write(bytes, key, secret, in: place)
    try folder.removeIfThere(name, in: place)
  }
}
