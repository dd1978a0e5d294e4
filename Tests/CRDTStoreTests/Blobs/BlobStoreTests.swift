import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

@Suite("A store of blobs")
struct BlobStoreTests {
  /// Some bytes that differ by a number.
  private func blob(_ number: Int, size: Int = 100) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &* 7) } + "\(number)".utf8
  }

  private func files() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    files.freeBytes = 1 << 40
    return files
  }

  private func open(
    _ files: SimulatedFileSystem, _ limits: [BlobStore.BlobClass: BlobStore.Limits]? = nil,
    events: Recorded<BlobStore.Event> = Recorded()
  ) async throws -> BlobStore {
    var options = BlobStore.Options()
    options.fileSystem = files
    options.onEvent = { events.append($0) }
    if let limits { options.limits = limits }
    return try await BlobStore.open(at: "/blobs", options: options)
  }

  @Test("What was put in is had again, by the digest of its bytes, also when reopened")
  func puttingAndGetting() async throws {
    let folder = try TemporaryFolder()
    let blobs = try await BlobStore.open(at: "\(folder.path)/blobs")
    var ids: [BlobID: [UInt8]] = [:]
    for (number, blobClass) in [BlobStore.BlobClass.images, .documents, .uploads].enumerated() {
      for size in [0, 1, 70_000] {
        let bytes = blob(number, size: size)
        ids[try await blobs.put(bytes, as: blobClass, isSent: true)] = bytes
      }
    }
    let none = BlobID(of: [1, 2, 3])
    #expect(none.text == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
    #expect(try await blobs.get(none) == nil)
    #expect(try await !blobs.contains(none))
    await #expect(throws: StoreError.locked(path: "\(folder.path)/blobs")) {
      _ = try await BlobStore.open(at: "\(folder.path)/blobs")
    }
    await blobs.close()
    await #expect(throws: StoreError.closed(path: "\(folder.path)/blobs")) {
      try await blobs.put([1], as: .images, isSent: true)
    }
    let again = try await BlobStore.open(at: "\(folder.path)/blobs")
    for (id, bytes) in ids {
      #expect(BlobID(of: bytes) == id)
      #expect(try await again.get(id) == bytes)
    }
    #expect(try await again.unsent().count == 3)
  }

  @Test("A name is a text of a record, and nothing else is one")
  func names() throws {
    let id = BlobID(of: Array("abc".utf8))
    let data = try JSONEncoder().encode([id])
    #expect(try JSONDecoder().decode([BlobID].self, from: data) == [id])
    for text in ["", "../\(id)", id.text.uppercased(), String(id.text.dropLast()), "\(id)0"] {
      #expect(BlobID(text) == nil, "\(text)")
      let bad = try JSONEncoder().encode([text])
      #expect(throws: DecodingError.self) { try JSONDecoder().decode([BlobID].self, from: bad) }
    }
  }

  @Test("The least recently used go first, never what is pinned or isn't sent")
  func eviction() async throws {
    let (files, events) = (try files(), Recorded<BlobStore.Event>())
    let limits = [BlobStore.BlobClass.images: BlobStore.Limits(softBytes: 700, hardBytes: 1_000)]
    let blobs = try await open(files, limits, events: events)
    var ids: [BlobID] = []
    for number in 0..<9 {
      ids.append(try await blobs.put(blob(number), as: .images, isSent: number != 1))
    }
    #expect(events.values == [.softLimit(.images, bytes: 707, max: 700)])
    try await blobs.pin(ids[0])
    _ = try await blobs.get(ids[2])
    // There is no room for this one: down to the soft limit, with it.
    let tenth = try await blobs.put(blob(10), as: .images, isSent: true)
    #expect(events.values.last == .evicted(.images, count: 4, bytes: 404))
    var left: [Int] = []
    for (number, id) in ids.enumerated() where try await blobs.contains(id) { left.append(number) }
    #expect(left == [0, 1, 2, 7, 8])
    #expect(try await blobs.contains(tenth))
    let usage = try #require(try await blobs.usage()[.images])
    #expect(usage.bytes == 607 && usage.count == 6)
    #expect(usage.unsentBytes == 101 && usage.pinnedBytes == 101)
    #expect(files.misuses.isEmpty)
  }

  @Test("What can't be made room for is refused, and nothing is driven out for it")
  func refusal() async throws {
    let limits = [
      BlobStore.BlobClass.images: BlobStore.Limits(softBytes: 300, hardBytes: 300),
      .documents: BlobStore.Limits(softBytes: 200, hardBytes: 300),
      .uploads: BlobStore.Limits(softBytes: 300, hardBytes: 300),
    ]
    let blobs = try await open(try files(), limits)
    for blobClass in [BlobStore.BlobClass.images, .documents, .uploads] {
      for number in 0..<2 {
        try await blobs.put(blob(number), as: blobClass, isSent: blobClass == .documents)
      }
      await #expect(throws: StoreError.storageLimit(bytes: 202, max: 300)) {
        try await blobs.put(blob(5), as: blobClass, isSent: true)
      }
      await #expect(throws: StoreError.tooLarge(bytes: 301, max: 300)) {
        try await blobs.put([UInt8](repeating: 1, count: 301), as: blobClass, isSent: true)
      }
      #expect(try await blobs.usage()[blobClass]?.count == 2)
    }
  }

  @Test("A disk that is nearly full halves what caches may take, and nothing else")
  func nearlyFull() async throws {
    let (files, events) = (try files(), Recorded<BlobStore.Event>())
    let limits = [
      BlobStore.BlobClass.images: BlobStore.Limits(softBytes: 1_000, hardBytes: 1_000),
      .documents: BlobStore.Limits(softBytes: 1_500, hardBytes: 1_500),
    ]
    let blobs = try await open(files, limits, events: events)
    for number in 0..<9 {
      try await blobs.put(blob(number), as: .images, isSent: true)
      try await blobs.put(blob(number), as: .documents, isSent: true)
    }
    files.freeBytes = 400_000_000
    let id = try await blobs.put(blob(20), as: .documents, isSent: true)
    #expect(
      events.values == [
        .diskNearlyFull(freeBytes: 400_000_000), .evicted(.images, count: 5, bytes: 505),
      ])
    #expect(try await blobs.usage()[.images]?.bytes == 404)
    files.freeBytes = 50
    await #expect(throws: StoreError.noSpace(free: 50, needed: 102)) {
      try await blobs.put(blob(21, size: 100), as: .temporary, isSent: true)
    }
    files.freeBytes = nil
    #expect(try await blobs.contains(id))
  }

  @Test("Clearing the cache leaves what is pinned, isn't sent, or is no cache")
  func clearing() async throws {
    let blobs = try await open(try files())
    var kept: [BlobID] = []
    kept.append(try await blobs.put(blob(1), as: .images, isSent: false))
    kept.append(try await blobs.put(blob(2), as: .images, isSent: true))
    try await blobs.pin(kept[1])
    kept.append(try await blobs.put(blob(3), as: .documents, isSent: true))
    kept.append(try await blobs.put(blob(4), as: .uploads, isSent: true))
    let gone = [
      try await blobs.put(blob(5), as: .images, isSent: true),
      try await blobs.put(blob(6), as: .temporary, isSent: true),
    ]
    #expect(try await blobs.clearCache() == 202)
    for id in kept { #expect(try await blobs.get(id) != nil) }
    for id in gone { #expect(try await blobs.get(id) == nil) }
    for id in [kept[0], kept[3]] {
      #expect(try await !blobs.remove(id))
      try await blobs.markSent(id)
    }
    try await blobs.unpin(kept[1])
    #expect(try await blobs.clearCache() == 202)
    #expect(try await blobs.unsent().isEmpty)
    // An upload goes when it was sent.
    #expect(try await blobs.usage()[.uploads]?.count == 0)
    #expect(try await blobs.remove(kept[2]))
    let upload = try await blobs.put(blob(7), as: .uploads, isSent: true)
    #expect(try await blobs.remove(upload, evenIfUnsent: true))
  }

  @Test("Marks and the order of use outlive the process; temporary blobs don't")
  func reopening() async throws {
    let files = try files()
    let limits = [BlobStore.BlobClass.images: BlobStore.Limits(softBytes: 540, hardBytes: 600)]
    var ids: [BlobID] = []
    do {
      let blobs = try await open(files, limits)
      for number in 0..<4 {
        ids.append(try await blobs.put(blob(number), as: .images, isSent: number != 3))
      }
      try await blobs.pin(ids[2])
      _ = try await blobs.get(ids[0])
      try await blobs.put(blob(9), as: .temporary, isSent: true)
      await blobs.close()
    }
    let blobs = try await open(files, limits)
    #expect(try await blobs.usage()[.temporary]?.count == 0)
    #expect(try await blobs.unsent() == [ids[3]])
    // Of the two that may go, 1 was used before 0.
    try await blobs.put(blob(20), as: .images, isSent: true)
    for id in ids[0...1] { #expect(try await blobs.contains(id)) }
    try await blobs.put(blob(21), as: .images, isSent: true)
    #expect(try await blobs.contains(ids[0]))
    #expect(try await !blobs.contains(ids[1]))
    for id in ids[2...3] { #expect(try await blobs.contains(id)) }
  }

  @Test("Damage anywhere in a blob is found, set aside, and mended by putting it in anew")
  func damage() async throws {
    let bytes = blob(1, size: 40)
    let name = "/blobs/images/\(BlobID(of: bytes))-\(bytes.count)"
    let files = try files()
    let id = try await open(files).put(bytes, as: .images, isSent: true)
    #expect(await eventually { files.openCount == 0 })
    let image = files.seenImage
    let whole = try #require(image[name])
    #expect(whole == bytes)
    var damaged = (0..<whole.count * 8).map { bit in
      var copy = whole
      copy[bit / 8] ^= 1 << UInt8(bit % 8)
      return copy
    }
    damaged += [[], Array(whole.dropLast()), whole + [0], whole + whole]
    for bytes in damaged {
      let events = Recorded<BlobStore.Event>()
      let files = SimulatedFileSystem(image.replacing(name, with: bytes))
      let blobs = try await open(files, events: events)
      let path = "/blobs/quarantine/\(id)-\(whole.count).0"
      await #expect(
        throws: StoreError.damaged(
          path: path, offset: 0, reason: "the bytes are not those that were put in")
      ) { try await blobs.get(id) }
      #expect(events.values.last == .damaged(id, path: path))
      #expect(files.seenImage[path] == bytes)
      #expect(try await blobs.get(id) == nil)
      try await blobs.put(whole, as: .images, isSent: true)
      #expect(try await blobs.get(id) == whole)
    }
  }

  @Test("Files of others, and an order that is damaged, are in nobody's way")
  func foreignFiles() async throws {
    let files = try files()
    let id = try await open(files).put(blob(1), as: .images, isSent: true)
    #expect(await eventually { files.openCount == 0 })
    var image = files.seenImage
    let recent = try #require(image["/blobs/RECENT"])
    let foreign = [
      "note.txt", "\(id)", "\(id)-", "\(id)-01", "\(id)--1", "\(id).other", ".DS_Store",
    ]
    for name in foreign { image = image.replacing("/blobs/images/\(name)", with: [1]) }
    image = image.replacing("/blobs/images/\(id)-7.new", with: [1])
    image = image.replacing("/blobs/images/\(BlobID(of: [1])).unsent", with: [])
    for place in recent.indices {
      var copy = recent
      copy[place] ^= 0x10
      let files = SimulatedFileSystem(image.replacing("/blobs/RECENT", with: copy))
      let blobs = try await open(files)
      #expect(try await blobs.get(id) == blob(1))
      #expect(try await blobs.unsent().isEmpty)
      guard place == 0 else { continue }
      let left = files.seenImage.files.keys
      for name in foreign { #expect(left.contains("/blobs/images/\(name)"), "\(name)") }
      #expect(!left.contains { $0.hasSuffix(".new") || $0.hasSuffix(".unsent") })
    }
  }

  @Test("Bytes that are put in again are there afterwards, also where the file wasn't")
  func puttingAgain() async throws {
    let bytes = blob(1, size: 40)
    for (blobClass, isSent) in [
      (BlobStore.BlobClass.images, true), (.documents, false), (.uploads, true),
    ] {
      for damage in [nil, [], Array(bytes.dropLast()), bytes + [0], bytes.reversed()] as [[UInt8]?]
      {
        let name = "/blobs/\(blobClass.rawValue)/\(BlobID(of: bytes))-\(bytes.count)"
        let before = try files()
        let blobs = try await open(before)
        let id = try await blobs.put(bytes, as: blobClass, isSent: isSent)
        try await blobs.pin(id)
        await blobs.close()
        let files = SimulatedFileSystem(before.seenImage.replacing(name, with: damage))
        files.freeBytes = 1 << 40
        let again = try await open(files)
        #expect(try await again.put(bytes, as: blobClass, isSent: true) == id)
        #expect(try await again.get(id) == bytes)
        let isUnsent = !isSent || blobClass == .uploads
        // Of a file that isn't there no mark is known either.
        if damage != nil || blobClass == .uploads {
          #expect(try await again.unsent() == (isUnsent ? [id] : []))
        }
        if damage != nil {
          #expect(try await again.usage()[blobClass]?.pinnedBytes == bytes.count)
        }
        #expect(files.seenImage[name] == bytes)
      }
    }
  }

  @Test("What won't fit in the end drives nothing out: pinned blobs are counted")
  func refusalBesidePinned() async throws {
    let limits = [BlobStore.BlobClass.images: BlobStore.Limits(softBytes: 100, hardBytes: 100)]
    let blobs = try await open(try files(), limits)
    let pinned = try await blobs.put(blob(0, size: 59), as: .images, isSent: true)
    try await blobs.pin(pinned)
    for number in 1...3 { try await blobs.put(blob(number, size: 9), as: .images, isSent: true) }
    await #expect(throws: StoreError.storageLimit(bytes: 90, max: 100)) {
      try await blobs.put(blob(4, size: 49), as: .images, isSent: true)
    }
    #expect(try await blobs.usage()[.images]?.count == 4)
    try await blobs.put(blob(5, size: 19), as: .images, isSent: true)
    #expect(try await blobs.contains(pinned))
    for error in [
      StoreError.storageLimit(bytes: 90, max: 100), .tooLarge(bytes: 101, max: 100),
    ] {
      #expect(!error.description.contains("commit") && !error.description.contains("store's"))
    }
  }

  @Test("A pinned upload stays when it was sent, until it is no longer pinned")
  func pinnedUploads() async throws {
    let files = try files()
    var blobs = try await open(files)
    let ids = [
      try await blobs.put(blob(1), as: .uploads, isSent: true),
      try await blobs.put(blob(2), as: .uploads, isSent: true),
    ]
    for id in ids {
      try await blobs.pin(id)
      try await blobs.markSent(id)
    }
    for _ in 0..<2 {
      #expect(try await blobs.unsent().isEmpty)
      for id in ids { #expect(try await blobs.get(id) != nil) }
      await blobs.close()
      blobs = try await open(files)
    }
    try await blobs.unpin(ids[0])
    #expect(try await !blobs.contains(ids[0]))
    // It is to be sent once more.
    try await blobs.put(blob(2), as: .uploads, isSent: true)
    #expect(try await blobs.unsent() == [ids[1]])
    await blobs.close()
    blobs = try await open(files)
    #expect(try await blobs.unsent() == [ids[1]])
    try await blobs.unpin(ids[1])
    #expect(try await blobs.get(ids[1]) == blob(2))
    try await blobs.markSent(ids[1])
    #expect(try await !blobs.contains(ids[1]))
    #expect(!files.seenImage.files.keys.contains { $0.hasPrefix("/blobs/uploads/") })
  }

  @Test("Names with sizes that no file can have are of no blob, and no harm")
  func blobSizes() async throws {
    let folder = try TemporaryFolder()
    let blobs = try await BlobStore.open(at: "\(folder.path)/blobs")
    let id = try await blobs.put([1, 2, 3], as: .documents, isSent: true)
    await blobs.close()
    let place = "\(folder.path)/blobs/documents"
    for digit in ["a", "b"] {
      let name = String(repeating: digit, count: 64) + "-9223372036854775807"
      #expect(FileManager.default.createFile(atPath: "\(place)/\(name)", contents: Data([1])))
    }
    let again = try await BlobStore.open(at: "\(folder.path)/blobs")
    let odd = try #require(BlobID(String(repeating: "a", count: 64)))
    #expect(try await again.get(odd) == nil)
    #expect(try await again.get(id) == [1, 2, 3])
    #expect(try await again.usage()[.documents]?.bytes == 3)
    await again.close()
  }

  @Test("Names that claim sizes drive nobody out, and are no blob while there is one")
  func claimedSizes() async throws {
    let files = try files()
    let id = try await open(files).put(blob(1), as: .images, isSent: true)
    #expect(await eventually { files.openCount == 0 })
    let whole = files.seenImage
    var image = whole
    for name in [
      "\(id)-0", "\(id)-4000000000", String(repeating: "a", count: 64) + "-4000000000",
    ] {
      image = image.replacing("/blobs/images/\(name)", with: [])
    }
    let blobs = try await open(SimulatedFileSystem(image))
    #expect(try await blobs.get(id) == blob(1))
    #expect(try await blobs.usage()[.images]?.bytes == blob(1).count)
    await blobs.close()
    // A folder in a file's place keeps nobody out.
    let odd = [
      "images/\(id)-7.new", "images/\(BlobID(of: [1])).unsent", "images/\(BlobID(of: [1]))-1",
    ]
    image = odd.reduce(whole) { $0.replacing("/blobs/\($1)", with: []) }
    let items = Dictionary(uniqueKeysWithValues: odd.map { ($0, FolderItem(kind: .folder)) })
    var options = BlobStore.Options()
    options.fileSystem = try OddFileSystem(SimulatedFileSystem(image), items, at: "/blobs")
    options.minimumFreeBytes = 0
    let again = try await BlobStore.open(at: "/blobs", options: options)
    #expect(try await again.get(id) == blob(1))
    #expect(try await again.put([1], as: .images, isSent: true) == BlobID(of: [1]))
    #expect(try await again.get(BlobID(of: [1])) == [1])
    await again.close()
  }
}
