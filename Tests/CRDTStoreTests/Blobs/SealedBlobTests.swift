import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("A sealed store of blobs")
struct SealedBlobTests {
  private let stores = SealedBlobStores()

  @Test("It holds what was put in, with its marks, whether or not it was closed")
  func keeping() async throws {
    for isClosed in [true, false] {
      let stores = SealedBlobStores()
      let blobs = try await stores.open()
      let ids = try await stores.fill(blobs)
      if isClosed { await blobs.close() }
      let again = SealedBlobStores(stores.image)
      let events = Recorded<BlobStore.Event>()
      let reopened = try await again.open(events: events)
      try await again.expectFilled(reopened, ids)
      #expect(events.values.isEmpty && !reopened.wasUnsealed)
      #expect(again.files.misuses.isEmpty)
    }
  }

  @Test("Neither what is kept nor its digest can be read in any file or name")
  func nothingReadable() async throws {
    let plain = try await stores.open("/plain", nil)
    let ids = try await stores.fill(plain)
    await plain.close()
    #expect(ids.allSatisfy { !stores.readable($0, in: "/plain").isEmpty })
    let blobs = try await stores.open()
    _ = try await stores.fill(blobs)
    // The same bytes twice: nobody is to see that they are.
    try await blobs.put(stores.blob(0), as: .documents, isSent: true)
    await blobs.close()
    for id in ids { #expect(stores.readable(id, in: "/blobs") == []) }
    let names = stores.sealedFiles.map { $0.split(separator: "/").last?.prefix(64) ?? "" }
    #expect(Set(names).count == names.count && names.count == ids.count + 1)
  }

  @Test("Without the key it is refused, which says so, and no byte changes")
  func refusals() async throws {
    let blobs = try await stores.open()
    _ = try await stores.fill(blobs)
    await blobs.close()
    let secret = "/blobs/NAMES"
    let first = try #require(stores.sealedFiles.first)
    for image in [stores.image, stores.image.replacing(secret, with: nil)] {
      let isWhole = image[secret] != nil
      let tries: [(TestSealing?, StoreError)] = [
        (nil, .sealed(path: "/blobs")), (TestSealing(key: 2), .wrongKey(path: secret)),
        (TestSealing(failure: .key(.locked)), .sealing(.key(.locked), path: secret)),
      ]
      for (sealing, error) in tries {
        let stores = SealedBlobStores(image)
        let found = await stores.refusal(sealing)
        if isWhole || sealing == nil {
          #expect(found == error)
        } else if case .wrongKey = error {
          // Then it is a blob that doesn't open.
          #expect(found.map { if case .wrongKey = $0 { true } else { false } } == true)
        } else {
          #expect(found != nil)
        }
        #expect(stores.image == image && stores.files.openCount == 0)
      }
    }
    #expect(stores.image[first] != nil)
  }

  @Test("A key that can't be had is no damage, and nothing is put in half")
  func failingKey() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    let before = stores.image
    for place in 1...3 {
      let stores = SealedBlobStores(before)
      let sealing = FailingSealing()
      let blobs = try await stores.open("/blobs", sealing)
      sealing.callsLeft = place - 1
      await #expect(
        performing: { try await blobs.put([1, 2, 3], as: .documents, isSent: false) },
        throws: {
          if case .sealing(.key(.locked), _)? = $0 as? StoreError { true } else { false }
        })
      await #expect(
        performing: { _ = try await blobs.get(ids[0]) },
        throws: {
          if case .sealing(.key(.locked), _)? = $0 as? StoreError { true } else { false }
        })
      sealing.callsLeft = nil
      #expect(try await blobs.unsent() == [ids[1], ids[4]].sorted { $0.text < $1.text })
      try await stores.expectFilled(blobs, ids)
      try await blobs.put([1, 2, 3], as: .documents, isSent: true)
      #expect(try await blobs.get(BlobID(of: [1, 2, 3])) == [1, 2, 3])
    }
  }

  @Test("Blobs that weren't sealed are taken over only if the app says so, and sealed at once")
  func adopting() async throws {
    let plain = try await stores.open("/blobs", nil)
    let ids = try await stores.fill(plain)
    await plain.close()
    let before = stores.image
    await #expect(throws: StoreError.notSealed(path: "/blobs")) { _ = try await stores.open() }
    #expect(stores.image == before)
    let blobs = try await stores.open(adopting: true)
    #expect(blobs.wasUnsealed)
    try await stores.expectFilled(blobs, ids)
    for id in ids { #expect(stores.readable(id, in: "/blobs") == []) }
    await blobs.close()
    let again = try await stores.open()
    #expect(!again.wasUnsealed)
    try await stores.expectFilled(again, ids)
    await again.close()
    await #expect(throws: StoreError.sealed(path: "/blobs")) {
      _ = try await stores.open("/blobs", nil)
    }
  }

  @Test("What isn't sealed is never taken beside what is, nor a mark that somebody made")
  func planted() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    let forged = stores.blob(77)
    let id = BlobID(of: forged)
    var image = stores.image
    let path = "/blobs/images/\(id)-\(forged.count)"
    image = image.replacing(path, with: forged).replacing("/blobs/images/\(id).unsent", with: [])
    for id in ids { image = image.replacing("/blobs/images/\(id).unsent", with: []) }
    image = image.replacing("/blobs/images/\(String(repeating: "7", count: 64)).mark", with: [])
    for isAdopting in [false, true] {
      let (stores, events) = (SealedBlobStores(image), Recorded<BlobStore.Event>())
      let blobs = try await stores.open(adopting: isAdopting, events: events)
      #expect(events.values == [.refused(path: path)])
      #expect(try await !blobs.contains(id) && !blobs.wasUnsealed)
      try await stores.expectFilled(blobs, ids)
      #expect(stores.image[path] == forged)
    }
  }
}

extension SealedBlobTests {
  /// What a store gives of a blob, or why it doesn't.
  private func outcome(
    of id: BlobID, in blobs: BlobStore
  ) async -> Result<[UInt8]?, StoreError> {
    do throws(StoreError) { return .success(try await blobs.get(id)) } catch {
      return .failure(error)
    }
  }

  @Test("Files exchanged between names, classes or stores are found, and left where they are")
  func exchanged() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    let other = SealedBlobStores(numbersFrom: 100)
    let theirs = try await other.open()
    _ = try await other.fill(theirs)
    await theirs.close()
    let foreign = other.sealedFiles.compactMap { other.image[$0] }
    let mine = stores.sealedFiles
    var found = 0
    for path in mine {
      for bytes in foreign + mine.filter({ $0 != path }).compactMap({ stores.image[$0] }) {
        let stores = SealedBlobStores(stores.image.replacing(path, with: bytes))
        let blobs = try await stores.open()
        for id in ids {
          switch await outcome(of: id, in: blobs) {
          case .success(let read): #expect(read.map { BlobID(of: $0) } == id, "\(path)")
          case .failure(let error):
            #expect(error == .wrongKey(path: path))
            found += 1
          }
        }
        #expect(stores.image[path] == bytes)
      }
    }
    #expect(found == mine.count * (foreign.count + mine.count - 1))
    // Under names of their own they are of no blob here, whatever is remembered.
    for path in other.sealedFiles {
      for recent in [stores.image["/blobs/RECENT"], nil] {
        let image = stores.image.replacing(path, with: other.image[path])
          .replacing("/blobs/RECENT", with: recent)
        let (stores, events) = (SealedBlobStores(image), Recorded<BlobStore.Event>())
        try await stores.expectFilled(try await stores.open(events: events), ids)
        #expect(events.values == [.refused(path: path)])
        #expect(stores.image[path] == other.image[path])
      }
    }
    let images = try #require(mine.first { $0.contains("/images/") })
    let moved = images.replacingOccurrences("/images/", "/documents/")
    let events = Recorded<BlobStore.Event>()
    let again = SealedBlobStores(stores.image.replacing(moved, with: stores.image[images]))
    try await again.expectFilled(try await again.open(events: events), ids)
    #expect(events.values == [.refused(path: moved)])
  }

  @Test("Whatever is changed in a blob's file is found, checksums made right or not, and mended")
  func forged() async throws {
    let blobs = try await stores.open()
    let bytes = stores.blob(3)
    let id = try await blobs.put(bytes, as: .documents, isSent: true)
    await blobs.close()
    let path = try #require(stores.sealedFiles.first)
    let whole = try #require(stores.image[path])
    for place in whole.indices {
      for isRight in [false, true] {
        var forged = whole
        forged[place] ^= 1 << UInt8(place % 8)
        if isRight, !makeRight(&forged) || forged == whole { continue }
        let stores = SealedBlobStores(stores.image.replacing(path, with: forged))
        let blobs = try await stores.open()
        await #expect(throws: StoreError.self, "byte \(place)") { _ = try await blobs.get(id) }
        guard place % 8 == 0 else { continue }
        let again = SealedBlobStores(stores.image.replacing(path, with: forged))
        let mended = try await again.open()
        #expect(try await mended.put(bytes, as: .documents, isSent: true) == id)
        #expect(try await mended.get(id) == bytes)
        await mended.close()
      }
    }
  }

  /// Makes the checksums of a file right, where its sizes still are.
  private func makeRight(_ bytes: inout [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    guard let head = try? FileHead(from: &reader, kind: .blob),
      let frame = bytes.withUnsafeBytes({ Frame.head(at: FileHead.size, of: $0, in: head) })
    else { return false }
    let body = FileHead.size + Frame.headSize
    let end = body + Int(frame.bodySize)
    bytes.withUnsafeMutableBytes {
      Frame.seal(
        UnsafeMutableRawBufferPointer(rebasing: $0[FileHead.size..<end]), at: FileHead.size,
        in: head)
    }
    let checksum = bytes[end..<bytes.count - 4].withUnsafeBytes { CRC32C.checksum($0) }
    withUnsafeBytes(of: checksum.littleEndian) {
      bytes.replaceSubrange(bytes.count - 4..<bytes.count, with: $0)
    }
    return true
  }

  @Test("The secret of the names is found in blobs, where its own file is damaged or gone")
  func lostSecret() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    let whole = try #require(stores.image["/blobs/NAMES"])
    var damaged: [[UInt8]?] = [nil, []]
    for place in whole.indices {
      var copy = whole
      copy[place] ^= 0x10
      damaged.append(copy)
    }
    for bytes in damaged {
      let stores = SealedBlobStores(stores.image.replacing("/blobs/NAMES", with: bytes))
      let blobs = try await stores.open()
      try await stores.expectFilled(blobs, ids)
      await blobs.close()
      try await stores.expectFilled(try await stores.open(), ids)
    }
    // Of two stores nobody can say which it is.
    let other = SealedBlobStores(numbersFrom: 100)
    let theirs = try await other.open()
    _ = try await other.fill(theirs)
    await theirs.close()
    var image = stores.image.replacing("/blobs/NAMES", with: nil)
    for path in other.sealedFiles { image = image.replacing(path, with: other.image[path]) }
    let mixed = SealedBlobStores(image)
    await #expect(
      performing: { _ = try await mixed.open() },
      throws: {
        if case .damaged("/blobs/NAMES", _, _)? = $0 as? StoreError { true } else { false }
      })
    #expect(mixed.image == image)
  }

  @Test("The secret of another store, or one with another key, in its place changes nothing")
  func strangersSecret() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    for key: UInt64 in [1, 2] {
      let other = SealedBlobStores(numbersFrom: 100)
      let theirs = try await other.open("/blobs", TestSealing(key: key))
      _ = try await other.fill(theirs)
      await theirs.close()
      let image = stores.image.replacing("/blobs/NAMES", with: other.image["/blobs/NAMES"])
      let exchanged = SealedBlobStores(image)
      for _ in 0..<2 {
        let opened = try await exchanged.open()
        try await exchanged.expectFilled(opened, ids)
        await opened.close()
      }
      // Nor beside a store that isn't sealed.
      let open = SealedBlobStores()
      let plain = try await open.open("/blobs", nil)
      let plainIDs = try await open.fill(plain)
      await plain.close()
      let beside = SealedBlobStores(
        open.image.replacing("/blobs/NAMES", with: other.image["/blobs/NAMES"]))
      try await beside.expectFilled(try await beside.open("/blobs", nil), plainIDs)
      // Nor does one of its blobs beside an empty store.
      let empty = SealedBlobStores()
      await (try await empty.open()).close()
      let path = try #require(other.sealedFiles.first)
      let planted = SealedBlobStores(empty.image.replacing(path, with: other.image[path]))
      let opened = try await planted.open()
      let id = try await opened.put(stores.blob(7), as: .documents, isSent: true)
      await opened.close()
      #expect(try await planted.open().get(id) == stores.blob(7))
      #expect(planted.image[path] != nil)
    }
  }

  @Test("A file that can't be read in one class doesn't keep the blob of another from being read")
  func unreadableBeside() async throws {
    for sealing in [TestSealing(), nil] {
      let disk = SealedBlobStores()
      let blobs = try await disk.open("/blobs", sealing)
      let id = try await blobs.put(disk.blob(0), as: .images, isSent: true)
      #expect(try await blobs.put(disk.blob(0), as: .documents, isSent: true) == id)
      await blobs.close()
      let image = disk.image
      let paths = image.files.keys.filter { $0.hasSuffix(".sealed") || $0.contains(id.text) }
      #expect(paths.count == 2)
      for path in paths {
        for recent in [image["/blobs/RECENT"], nil] {
          var item = FolderItem(try #require(image[path]))
          item.isForbidden = true
          let stores = SealedBlobStores(image.replacing("/blobs/RECENT", with: recent))
          var options = BlobStore.Options()
          options.fileSystem = try OddFileSystem(
            stores.files, [String(path.dropFirst("/blobs/".count)): item], at: "/blobs")
          options.sealing = sealing
          let opened = try await BlobStore.open(at: "/blobs", options: options)
          #expect(try await opened.get(id) == stores.blob(0), "\(path)")
          await opened.close()
        }
      }
    }
  }

  @Test("Another key takes the place of the first, and nothing is left that this one opens")
  func anotherKey() async throws {
    let blobs = try await stores.open()
    let ids = try await stores.fill(blobs)
    await blobs.close()
    let key = TestSealing(key: 2)
    await #expect(throws: StoreError.wrongKey(path: "/blobs/NAMES")) {
      _ = try await stores.open("/blobs", key)
    }
    let names = stores.sealedFiles
    let rotating = RotatingSealing(key, opening: [TestSealing()])
    let both = try await stores.open("/blobs", rotating)
    try await both.reseal()
    // Two for each blob, the order, and the secret, at first and at the end.
    #expect(try await both.seals() == UInt64(2 * ids.count + 3))
    // Again, as after an interruption: it is the same key, so all count.
    try await both.reseal()
    #expect(try await both.seals() == UInt64(4 * ids.count + 5))
    #expect(stores.sealedFiles == names)
    await both.close()
    for secret in [stores.image["/blobs/NAMES"], nil] {
      let old = SealedBlobStores(stores.image.replacing("/blobs/NAMES", with: secret))
      await #expect(
        performing: { _ = try await old.open() },
        throws: {
          if case .wrongKey? = $0 as? StoreError { true } else { false }
        })
    }
    try await stores.expectFilled(try await stores.open("/blobs", key), ids)
  }

  @Test("It counts how often it has sealed: exactly when it is closed, and never too low")
  func counting() async throws {
    let counted = FailingSealing()
    for round in 0..<4 {
      let blobs = try await stores.open("/blobs", counted)
      #expect(try await blobs.seals() == counted.sealCount, "\(round)")
      for number in 0..<round {
        try await blobs.put(stores.blob(number), as: .documents, isSent: true)
      }
      #expect(try await blobs.seals() == counted.sealCount)
      // It is stopped here, and opened from what is on the disk.
      let crashed = try await SealedBlobStores(stores.image).open()
      let (found, least) = (try await crashed.seals(), counted.sealCount)
      #expect(found >= least && found <= least + 1_026)
      await blobs.close()
    }
  }
}

/// Stores of blobs on a disk, sealed with a key of tests.
private struct SealedBlobStores {
  let files: SimulatedFileSystem
  private let numbers: Guarded<UInt64>

  init(_ image: DiskImage? = nil, numbersFrom first: UInt64 = 1) {
    files = image.map { SimulatedFileSystem($0) } ?? SimulatedFileSystem()
    files.freeBytes = 1 << 40
    numbers = Guarded(first)
  }

  var image: DiskImage { files.seenImage }

  var sealedFiles: [String] { image.files.keys.filter { $0.hasSuffix(".sealed") }.sorted() }

  func open(
    _ path: String = "/blobs", _ sealing: (any Sealing)? = TestSealing(), adopting: Bool = false,
    events: Recorded<BlobStore.Event> = Recorded()
  ) async throws -> BlobStore {
    var options = BlobStore.Options()
    options.fileSystem = files
    options.sealing = sealing
    options.adoptsUnsealedFiles = adopting
    options.onEvent = { events.append($0) }
    let numbers = numbers
    options.makeNumber = {
      numbers.withLock {
        $0 += 1
        return $0 &* 0x9E37_79B9_7F4A_7C15
      }
    }
    return try await BlobStore.open(at: path, options: options)
  }

  /// Why it can't be opened with a sealing, if so.
  func refusal(_ sealing: (any Sealing)?) async -> StoreError? {
    do {
      _ = try await open("/blobs", sealing)
      return nil
    } catch {
      return error as? StoreError
    }
  }

  func blob(_ number: Int) -> [UInt8] {
    Array("the-marker-of-this-test \(number)".utf8) + (0..<40).map { UInt8(truncatingIfNeeded: $0) }
  }

  /// Puts in blobs with marks of all kinds.
  func fill(_ blobs: BlobStore) async throws -> [BlobID] {
    var ids = [try await blobs.put(blob(0), as: .images, isSent: true)]
    ids.append(try await blobs.put(blob(1), as: .images, isSent: false))
    ids.append(try await blobs.put(blob(2), as: .documents, isSent: true))
    try await blobs.pin(ids[2])
    ids.append(try await blobs.put(blob(3), as: .uploads, isSent: true))
    try await blobs.pin(ids[3])
    try await blobs.markSent(ids[3])
    ids.append(try await blobs.put(blob(4), as: .uploads, isSent: true))
    return ids
  }

  func expectFilled(_ blobs: BlobStore, _ ids: [BlobID]) async throws {
    for (number, id) in ids.enumerated() { #expect(try await blobs.get(id) == blob(number)) }
    #expect(try await blobs.unsent() == [ids[1], ids[4]].sorted { $0.text < $1.text })
    let usage = try await blobs.usage()
    #expect(usage[.documents]?.pinnedBytes == blob(2).count)
    #expect(usage[.uploads]?.pinnedBytes == blob(3).count)
    #expect(usage[.images]?.count == 2 && usage[.images]?.pinnedBytes == 0)
  }

  /// The files in whose bytes or names the marker, or a blob's name, can be read.
  func readable(_ id: BlobID, in folder: String) -> [String] {
    let markers = ["the-marker-of-this-test", id.text].map { Array($0.utf8) }
    return image.files.filter { path, bytes in
      path.hasPrefix("\(folder)/")
        && (path.contains(id.text)
          || markers.contains { marker in
            bytes.indices.contains { bytes[$0] == marker[0] && bytes[$0...].starts(with: marker) }
          })
    }.keys.sorted()
  }
}

/// A sealing that counts, and whose key is locked away after some calls.
final class FailingSealing: Sealing {
  private let state = Guarded<(left: Int?, sealed: UInt64)>((nil, 0))

  var callsLeft: Int? {
    get { state.withLock { $0.left } }
    set { state.withLock { $0.left = newValue } }
  }

  var sealCount: UInt64 { state.withLock { $0.sealed } }

  var overheadBytes: Int { 8 }

  private func call() throws(SealingError) {
    let isLocked = state.withLock { state in
      guard let left = state.left else { return false }
      state.left = left - 1
      return left <= 0
    }
    if isLocked { throw .key(.locked) }
  }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try call()
    state.withLock { $0.sealed += 1 }
    return try TestSealing().seal(bytes, for: context)
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try call()
    return try TestSealing().open(sealed, for: context)
  }
}

extension String {
  fileprivate func replacingOccurrences(_ old: String, _ new: String) -> String {
    split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
  }
}
