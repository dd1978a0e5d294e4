import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("A sealed store")
struct SealedStoreTests {
  /// What nobody is to find in a file.
  static let marker = "the-marker-of-this-test"

  private let sealing = TestSealing()
  private let stores = TestStores()
  private var image: DiskImage { stores.files.seenImage }

  private func open(
    _ path: String = "/store", in stores: TestStores? = nil, _ sealing: TestSealing? = TestSealing()
  ) throws(StoreError) -> Store {
    try (stores ?? self.stores).open(path) { $0.sealing = sealing }
  }

  /// The files in which the marker can be read.
  private func readable(_ image: DiskImage, in folder: String = "/") -> [String] {
    let marker = Array(Self.marker.utf8)
    return image.files.filter { path, bytes in
      path.hasPrefix(folder)
        && bytes.indices.contains { bytes[$0] == marker[0] && bytes[$0...].starts(with: marker) }
    }.keys.sorted()
  }

  /// Writes the marker wherever an app can.
  private func write(_ store: Store, _ value: String = marker) throws {
    try store.edit { edit in
      edit.set("title", of: "n1", in: "notes", to: .string(value))
      edit.set([value], of: value, in: value, to: 1)
    }
    try store.write { try $0.set(setting: value, to: .string(value)) }
  }

  /// A sealed store with a snapshot and a log, closed.
  private func makeStore() throws -> Document {
    let store = try open()
    try write(store, "first")
    try store.compact()
    try write(store)
    try store.put(1, of: "r1")
    try store.put(2, of: "r2")
    let document = store.document
    try store.close()
    return document
  }

  @Test("It holds what one holds that isn't sealed, whatever is done")
  func sameDocument() throws {
    for seed in 0..<UInt64(isLongRun ? 200 : 15) {
      let (plain, sealed) = (TestStores(), TestStores())
      func run(_ stores: TestStores, _ sealing: TestSealing?) throws -> [Document] {
        var random = SeededGenerator(seed: seed)
        var store = try open(in: stores, sealing)
        let peer = try stores.open("/peer")
        for step in 0..<30 {
          let record = "r\(Int.random(in: 0..<5, using: &random))"
          switch Int.random(in: 0..<10, using: &random) {
          case 0: try store.compact()
          case 1:
            try store.close()
            store = try open(in: stores, sealing)
          case 2: try exchange(store.session(), peer.session())
          case 3: try store.edit { $0.delete(record, in: "c") }
          case 4: try store.write { try $0.set(setting: record, to: .int(Int64(step))) }
          case 5: try peer.put(.int(Int64(-step)), of: record)
          case 6: try store.edit(.relaxed) { $0.set("value", of: record, in: "c", to: "relaxed") }
          default: try store.put(.int(Int64(step)), of: record)
          }
          stores.clock.milliseconds += 7
        }
        try store.close()
        store = try open(in: stores, sealing)
        #expect(try store.verify().isSound && store.recovery.wasClosed, "seed \(seed)")
        let documents = [store.document, peer.document]
        try store.close()
        try peer.close()
        return documents
      }
      let (found, expected) = (try run(sealed, sealing), try run(plain, nil))
      #expect(found == expected, "seed \(seed)")
      #expect(sealed.files.openCount == plain.files.openCount, "seed \(seed)")
    }
  }

  @Test("Nothing of what is kept can be read in any file")
  func nothingReadable() throws {
    let plain = try stores.open("/plain")
    try write(plain)
    #expect(!readable(image, in: "/plain").isEmpty)
    let store = try open()
    try write(store)
    #expect(readable(image, in: "/store") == [])
    try store.compact()
    try write(store, Self.marker + " again")
    try store.backUp(to: "/backup")
    try store.close()
    #expect(readable(image, in: "/store") == [] && readable(image, in: "/backup") == [])
    let backup = try open("/backup")
    #expect(backup.document == store.document)
    #expect(throws: StoreError.self) { try open("/backup", nil) }
  }

  @Test("Without the key it is refused by everything, which says so, and no byte changes")
  func refusals() throws {
    _ = try makeStore()
    let segment = "/store/segments/0000000000000002.segment"
    let bytes = try #require(image[segment])
    let manifest = try #require(image["/store/MANIFEST"])
    let images = [
      image, image.replacing(segment, with: bytes.dropLast(3)),
      image.replacing("/store/MANIFEST", with: manifest.dropLast()),
      image.replacing("/store/MANIFEST", with: nil),
    ]
    for (number, image) in images.enumerated() {
      for key in [nil, TestSealing(key: 2)] {
        let stores = TestStores(SimulatedFileSystem(image))
        func expectRefusal(_ name: String, _ body: () throws -> Void) {
          do {
            try body()
            Issue.record("\(number): \(name) doesn't mind \(key as Any)")
          } catch let error as StoreError {
            switch (error, key) {
            case (.sealed, nil), (.wrongKey, .some): break
            // Without the manifest, opening says first that it is missing.
            case (.damaged, _) where number >= 2 && name.hasPrefix("open"): break
            default: Issue.record("\(number): \(name): \(error)")
            }
          } catch {
            Issue.record("\(error)")
          }
          #expect(stores.files.seenImage == image, "\(number): \(name) changed something")
          #expect(stores.files.openCount == 0)
        }
        expectRefusal("open") { _ = try open(in: stores, key) }
        expectRefusal("opened to be read") {
          _ = try stores.open {
            $0.access = .readOnly
            $0.sealing = key
          }
        }
        expectRefusal("verify") {
          _ = try Store.verify(at: "/store", fileSystem: stores.files, sealing: key)
        }
        expectRefusal("log") {
          _ = try Store.log(at: "/store", fileSystem: stores.files, sealing: key)
        }
        expectRefusal("salvage") {
          var options = stores.options
          options.sealing = key
          _ = try Store.salvage(at: "/store", options: options)
        }
      }
    }
  }

  @Test("With the key it is read, verified, listed and salvaged")
  func checking() throws {
    let document = try makeStore()
    let reader = try stores.open {
      $0.access = .readOnly
      $0.sealing = sealing
    }
    #expect(reader.document == document)
    try reader.close()
    let found = try Store.verify(
      at: "/store", fileSystem: stores.files, sealing: sealing)
    #expect(found.isSound && found.changesRead == 4)
    let entries = try Store.log(
      at: "/store", fileSystem: stores.files, sealing: sealing)
    #expect(entries.count == found.changesRead)
    let path = "/store/segments/0000000000000002.segment"
    var bytes = try #require(image[path])
    bytes[try #require(entries.last { $0.segment == 2 }).offset - 30] ^= 1
    let damaged = TestStores(SimulatedFileSystem(image.replacing(path, with: bytes)))
    #expect(throws: StoreError.self) { try open(in: damaged) }
    var options = damaged.options
    options.sealing = sealing
    let report = try Store.salvage(at: "/store", options: options)
    #expect(report.findings.map(\.path) == [path])
    let salvaged = try open(in: damaged)
    #expect(salvaged.document.value(of: "title", of: "n1", in: "notes") == .string(Self.marker))
    #expect(readable(damaged.files.seenImage) == [])
  }

  @Test("A key that can't be had now is no damage, and no other key")
  func unavailableKey() throws {
    _ = try makeStore()
    let before = image
    let failing = TestSealing(failure: .key(.locked))
    func isLocked(_ error: any Error) -> Bool {
      if case .sealing(.key(.locked), _)? = error as? StoreError { true } else { false }
    }
    #expect(performing: { _ = try open("/store", failing) }, throws: isLocked)
    #expect(
      performing: {
        _ = try Store.verify(
          at: "/store", fileSystem: stores.files, sealing: failing)
      }, throws: isLocked)
    #expect(
      performing: {
        var options = stores.options
        options.sealing = failing
        _ = try Store.salvage(at: "/store", options: options)
      }, throws: isLocked)
    #expect(image == before)
  }

  @Test("A store that can't seal takes no more commits, and holds what was acknowledged")
  func failingWrites() throws {
    let sealing = SwitchedSealing()
    let store = try stores.open { $0.sealing = sealing }
    try store.put(1)
    let document = store.document
    sealing.failure = .failed(reason: "no more")
    for _ in 0..<2 {
      #expect {
        try store.put(2)
      } throws: { error in
        if case .sealing(.failed, _)? = error as? StoreError { true } else { false }
      }
    }
    #expect(store.document == document)
    try? store.close()
    sealing.failure = nil
    let again = try stores.open { $0.sealing = sealing }
    #expect(again.document == document)
    try again.put(3)
    sealing.failure = .failed(reason: "no more")
    #expect(throws: StoreError.self) { try again.compact() }
  }

  @Test("A store that wasn't sealed is taken over only if the app says so, and sealed at once")
  func becomingSealed() throws {
    let plain = try stores.open()
    try write(plain)
    try plain.compact()
    try plain.put(1)
    let document = plain.document
    try plain.close()
    #expect(!readable(image).isEmpty)
    let before = image
    for access in [Store.Options.Access.readOnly, .readWrite] {
      #expect(throws: StoreError.notSealed(path: "/store")) {
        try stores.open {
          $0.access = access
          $0.sealing = sealing
        }
      }
    }
    var options = stores.options
    options.sealing = sealing
    #expect(throws: StoreError.notSealed(path: "/store")) {
      try Store.salvage(at: "/store", options: options)
    }
    let reader = try stores.open {
      $0.access = .readOnly
      $0.sealing = sealing
      $0.adoptsUnsealedFiles = true
    }
    #expect(reader.document == document && reader.recovery.wasUnsealed)
    try reader.close()
    #expect(image == before)

    let store = try stores.open {
      $0.sealing = sealing
      $0.adoptsUnsealedFiles = true
    }
    #expect(store.document == document && store.recovery.wasUnsealed)
    #expect(readable(image) == [])
    try store.close()
    #expect(throws: StoreError.sealed(path: "/store")) { try open("/store", nil) }
    let again = try open()
    #expect(try again.document == document && again.verify().isSound)
    #expect(!again.recovery.wasUnsealed)
  }

  @Test("A full disk puts off the sealing of a store that is taken over, and nothing is lost")
  func becomingSealedWithoutRoom() throws {
    let plain = try stores.open()
    try write(plain)
    let document = plain.document
    try plain.close()
    stores.files.capacity = 1 << 30
    let store = try stores.open {
      $0.sealing = sealing
      $0.adoptsUnsealedFiles = true
      $0.minimumFreeBytes = 1 << 40
    }
    #expect(store.document == document)
    try store.close()
    #expect(throws: StoreError.notSealed(path: "/store")) { try open() }
    stores.files.capacity = nil
    let again = try stores.open {
      $0.sealing = sealing
      $0.adoptsUnsealedFiles = true
    }
    #expect(again.document == document && readable(image) == [])
  }

  @Test("Another key takes the place of the first, and nothing is left that this one opens")
  func anotherKey() throws {
    let document = try makeStore()
    let key = TestSealing(key: 2)
    #expect(throws: StoreError.wrongKey(path: "/store/MANIFEST")) { try open("/store", key) }
    let store = try stores.open { $0.sealing = RotatingSealing(key, opening: [sealing]) }
    #expect(store.document == document)
    try store.put(3, of: "r3")
    let seals = store.statistics.seals
    try store.reseal()
    // With this key the snapshot's two parts, the manifest and a segment's head came too.
    #expect(seals <= 5 && store.statistics.seals == seals + 4)
    let folder = SealedBytes(fileSystem: stores.files, sealing: sealing)
    for (path, bytes) in image.files
    where !path.hasSuffix("LOCK") && !path.hasSuffix("CLOSED") {
      for (head, body) in try frames(of: bytes, path) {
        #expect(throws: StoreError.self, "\(path)") {
          try folder.opened(body, of: bytes, in: head, at: path)
        }
      }
    }
    let last = store.document
    try store.close()
    #expect(throws: StoreError.wrongKey(path: "/store/MANIFEST")) { try open() }
    #expect(try open("/store", key).document == last)
  }

  @Test("Seals are counted: never too low, through compactions, openings and a salvage")
  func sealCounts() throws {
    let counted = FailingSealing()
    for round in 0..<4 {
      let store = try stores.open { $0.sealing = counted }
      #expect(store.statistics.seals >= counted.sealCount, "round \(round)")
      for number in 0..<10 { try store.put(.int(Int64(number)), of: "r\(round)-\(number)") }
      for _ in 0..<3 { try store.compact() }
      #expect(store.statistics.seals >= counted.sealCount, "round \(round)")
      #expect(store.statistics.seals <= counted.sealCount + UInt64(4 * (round + 1)))
      try store.close()
    }
    let last = try #require(image.files.keys.filter { $0.hasSuffix(".segment") }.max())
    var bytes = try #require(image[last])
    bytes[bytes.count - 1] ^= 1
    let files = SimulatedFileSystem(image.replacing(last, with: bytes))
    let salvaged = TestStores(files, replicasAfter: 60)
    var options = salvaged.options
    options.sealing = counted
    #expect(try !Store.salvage(at: "/store", options: options).findings.isEmpty)
    let store = try salvaged.open { $0.sealing = counted }
    #expect(store.statistics.seals >= counted.sealCount)
    try store.close()
  }

  @Test("Unsealed files in the place of former ones are found by all that reads, and count nowhere")
  func formerFiles() throws {
    let document = try makeStore()
    let store = try open()
    try store.reseal()
    try store.put(3, of: "r3")
    let last = store.document
    try store.close()
    var reader = ByteReader(try #require(image["/store/MANIFEST"]))
    let number = try FileHead(from: &reader, kind: .manifest).store
    // The first segment was sealed and is gone; a store without one begins with it.
    let path = "/store/segments/0000000000000001.segment"
    let head = SegmentHead(
      previousSize: 0, version: [:], document: DocumentIdentity(TestStores.document))
    for (store, isSealed) in [(number, false), (number ^ 1, false)] {
      let file = FileHead(kind: .segment, store: store, number: 1, isSealed: isSealed)
      let files = SimulatedFileSystem(
        image.replacing(path, with: file.file(framing: head.encodedBody)))
      let found = try Store.verify(at: "/store", fileSystem: files, sealing: sealing)
      #expect(found.findings.map(\.path) == [path])
      #expect(throws: StoreError.self) {
        try Store.log(at: "/store", fileSystem: files, sealing: sealing)
      }
      let opened = try open(in: TestStores(files))
      #expect(opened.document == last && document != last)
      #expect(!opened.core.hasHistory(since: [:]))
      try opened.close()
      var options = Store.Options()
      (options.fileSystem, options.sealing) = (files, sealing)
      let salvaged = try Store.salvage(at: "/store", options: options)
      #expect(salvaged.filesSetAside.count == 1)
      let again = try open(in: TestStores(files))
      #expect(again.document.records(in: "c") == last.records(in: "c"))
      try again.close()
    }
  }

  @Test("An unsealed manifest beside sealed files is a forgery, and salvage takes nothing with it")
  func forgedManifest() throws {
    let document = try makeStore()
    // What somebody makes who has no key: a manifest, and a segment that goes on.
    let others = TestStores()
    let other = try others.open()
    try other.put("forged", of: "forged")
    try other.close()
    let forgery = others.files.seenImage
    for isTakenOver in [false, true] {
      var forged = image.replacing("/store/MANIFEST", with: forgery["/store/MANIFEST"])
      for number in 3...9 {
        forged = forged.replacing(
          "/store/segments/000000000000000\(number).segment",
          with: forgery["/store/segments/0000000000000001.segment"])
      }
      let stores = TestStores(SimulatedFileSystem(forged))
      func options() -> Store.Options {
        var options = stores.options
        options.sealing = sealing
        options.adoptsUnsealedFiles = isTakenOver
        return options
      }
      #expect(
        performing: {
          _ = try stores.open {
            $0.sealing = sealing
            $0.adoptsUnsealedFiles = isTakenOver
          }
        }, throws: isDamage)
      guard !isTakenOver else { continue }
      let report = try Store.salvage(at: "/store", options: options())
      #expect(report.filesSetAside.count == 8)
      let saved = try open(in: stores)
      #expect(saved.document.value(of: "value", of: "forged", in: "c") == nil)
      #expect(saved.document.records(in: "c") == document.records(in: "c"))
    }
  }

  @Test("Salvage behind a damaged manifest takes nothing that somebody planted without the key")
  func plantedForSalvage() throws {
    let document = try makeStore()
    let others = TestStores()
    let other = try others.open()
    try other.put("forged", of: "forged")
    try other.write { try $0.set(setting: "forged", to: .bool(true)) }
    try other.close()
    let forgery = others.files.seenImage
    var manifest = try #require(image["/store/MANIFEST"])
    manifest[manifest.count - 1] ^= 1
    var planted = image.replacing("/store/MANIFEST", with: manifest)
    for number in 3...9 {
      planted = planted.replacing(
        "/store/segments/000000000000000\(number).segment",
        with: forgery["/store/segments/0000000000000001.segment"])
    }
    let stores = TestStores(SimulatedFileSystem(planted))
    #expect(performing: { _ = try open(in: stores) }, throws: isDamage)
    var options = stores.options
    options.sealing = sealing
    let report = try Store.salvage(at: "/store", options: options)
    // More of them than there are true ones don't make them the store's.
    #expect(report.filesSetAside.count == 8)
    let saved = try open(in: stores)
    #expect(saved.document.records(in: "c") == document.records(in: "c"))
    #expect(saved.document.value(of: "title", of: "n1", in: "notes") == .string(Self.marker))
    #expect(saved.document.value(of: "value", of: "forged", in: "c") == nil)
    #expect(saved.setting("forged") == nil)
  }

  @Test("What a copy has written since doesn't open in the original, nor the other way round")
  func framesOfACopy() throws {
    let store = try open()
    try store.put(1, of: "r1")
    try store.backUp(to: "/backup")
    let before = image
    let path = "/store/segments/0000000000000001.segment"
    // So much more or less that what follows stands at the same places.
    func goOn(_ store: Store, padding: Int) throws {
      try store.put(.string(String(repeating: "x", count: padding)), of: "r1")
      for number in 2...6 as ClosedRange<Int64> { try store.put(.int(number), of: "r\(number)") }
      try store.close()
    }
    try goOn(store, padding: 200)
    let mine = try #require(image[path])
    for folder in ["/store", "/backup"] {
      var exchanged = 0
      for padding in 0..<250 where exchanged < 2 {
        let copies = TestStores(SimulatedFileSystem(before), replicasAfter: 100)
        try goOn(open(folder, in: copies), padding: padding)
        let name = "\(folder)/segments/0000000000000001.segment"
        let copy = try #require(copies.files.seenImage[name])
        exchanged = try expectApart(image, path, copy)
        if exchanged > 1 { _ = try expectApart(copies.files.seenImage, name, mine, at: folder) }
      }
      #expect(exchanged > 1, "\(folder)")
    }
  }

  @Test("A frame names its line of history, and opens for no other")
  func lineOfFrames() throws {
    _ = try makeStore()
    let path = "/store/segments/0000000000000002.segment"
    let bytes = try #require(image[path])
    let folder = SealedBytes(fileSystem: stores.files, sealing: sealing)
    for (head, body) in try frames(of: bytes, path) {
      #expect(throws: Never.self) { try folder.opened(body, of: bytes, in: head, at: path) }
      for place in body.prefix(8) {
        var other = bytes
        other[place] ^= 1
        seal(&other, body, in: head)
        #expect(throws: StoreError.self) { try folder.opened(body, of: other, in: head, at: path) }
      }
    }
  }

  /// Puts frames of one file into another, each in the place where it was written, with right
  /// checksums, and after it one of those that were there; also such as claim to be of the
  /// other's line of history, with and without one after it.
  private func expectApart(
    _ image: DiskImage, _ path: String, _ foreign: [UInt8], at folder: String = "/store"
  ) throws -> Int {
    let mine = try #require(image[path])
    let (frames, others) = (try frames(of: mine, path), try frames(of: foreign, path))
    var exchanged = 0
    for (head, body) in frames.dropLast() {
      guard let other = others.first(where: { $0.1 == body })?.1, mine[body] != foreign[other]
      else { continue }
      let next = frames.first { $0.1.lowerBound > body.upperBound }?.1 ?? body
      exchanged += 1
      let claiming = Array(mine[body].prefix(8) + foreign[other].dropFirst(8))
      for (part, isLast) in [
        (Array(foreign[other]), false), (claiming, false), (claiming, true),
      ] {
        var forged = Array(mine[..<body.lowerBound]) + part
        seal(&forged, body.lowerBound..<forged.count, in: head)
        if !isLast {
          let start = forged.count + Frame.headSize
          forged += mine[(next.lowerBound - Frame.headSize)..<next.upperBound]
          seal(&forged, start..<forged.count, in: head)
        }
        let stores = TestStores(SimulatedFileSystem(image.replacing(path, with: forged)))
        #expect(performing: { _ = try open(folder, in: stores) }, throws: isDamage)
      }
    }
    return exchanged
  }

  @Test("A file that isn't sealed is not taken in the place of one that was")
  func downgrade() throws {
    func fill(_ store: Store) throws {
      try store.put("mine")
      try store.compact()
      try store.put("mine too")
      try store.close()
    }
    try fill(open())
    let other = TestStores()
    try fill(other.open())
    for name in ["segments/0000000000000002.segment", "snapshots/0000000000000001.snapshot"] {
      let forged = try #require(other.files.seenImage["/store/\(name)"])
      let files = SimulatedFileSystem(image.replacing("/store/\(name)", with: forged))
      #expect(performing: { _ = try open(in: TestStores(files)) }, throws: isDamage)
    }
  }

  private func isDamage(_ error: any Error) -> Bool {
    if case .damaged? = error as? StoreError { true } else { false }
  }

  @Test("Whatever somebody changes who makes the checksums right is refused")
  func forged() throws {
    let document = try makeStore()
    for path in image.files.keys.sorted()
    where !path.hasSuffix("LOCK") && !path.hasSuffix("CLOSED") {
      // Old changes aren't read.
      if path.hasSuffix("1.segment") { continue }
      let bytes = try #require(image[path])
      for (head, body) in try frames(of: bytes, path) {
        for place in body {
          var forged = bytes
          forged[place] ^= 1 << UInt8(place % 8)
          seal(&forged, body, in: head)
          let stores = TestStores(SimulatedFileSystem(image.replacing(path, with: forged)))
          let opened = Result { try open(in: stores) }
          guard case .failure(let error) = opened, let error = error as? StoreError,
            error.isDamage
          else {
            Issue.record("\(path), byte \(place): \((try? opened.get())?.document == document)")
            continue
          }
          #expect(stores.files.seenImage[path] == forged)
        }
      }
    }
  }

  @Test("A whole frame in the place of another is refused, though its checksums are right")
  func exchangedFrames() throws {
    let store = try open()
    for number in 0..<6 as Range<Int64> { try store.put(.int(number), of: "r\(number)") }
    try store.close()
    let path = "/store/segments/0000000000000001.segment"
    let bytes = try #require(image[path])
    let frames = try frames(of: bytes, path)
    var exchanged = 0
    for (_, source) in frames {
      for (head, target) in frames where source != target && source.count == target.count {
        var forged = bytes
        forged.replaceSubrange(target, with: bytes[source])
        seal(&forged, target, in: head)
        exchanged += 1
        let stores = TestStores(SimulatedFileSystem(image.replacing(path, with: forged)))
        #expect(performing: { _ = try open(in: stores) }, throws: isForgery)
      }
    }
    #expect(exchanged > 5)
    // The same frame of another store.
    let others = TestStores()
    let other = try others.open {
      $0.sealing = sealing
      $0.makeStoreNumber = { 8 }
    }
    for number in 0..<6 as Range<Int64> { try other.put(.int(number), of: "r\(number)") }
    try other.close()
    let foreign = try #require(others.files.seenImage[path])
    #expect(foreign.count == bytes.count)
    for (head, body) in frames {
      var forged = bytes
      forged.replaceSubrange(body, with: foreign[body])
      seal(&forged, body, in: head)
      let stores = TestStores(SimulatedFileSystem(image.replacing(path, with: forged)))
      #expect(performing: { _ = try open(in: stores) }, throws: isForgery)
    }
  }

  private func isForgery(_ error: any Error) -> Bool {
    if case .damaged(_, _, "it isn't what was sealed there")? = error as? StoreError {
      true
    } else {
      false
    }
  }

  /// The frames of a file, or of a snapshot the first.
  private func frames(of bytes: [UInt8], _ path: String) throws -> [(FileHead, Range<Int>)] {
    let kind: FileHead.Kind =
      path.hasSuffix("MANIFEST") ? .manifest : path.hasSuffix(".segment") ? .segment : .snapshot
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: kind)
    var all: [(FileHead, Range<Int>)] = []
    var place = FileHead.size
    while let body = bytes.withUnsafeBytes({ Frame.body(at: place, of: $0, in: head) }) {
      all.append((head, body))
      place = body.upperBound
    }
    return all
  }

  /// Makes the checksums of a frame right.
  private func seal(_ bytes: inout [UInt8], _ body: Range<Int>, in head: FileHead) {
    let frame = body.lowerBound - Frame.headSize..<body.upperBound
    bytes.withUnsafeMutableBytes {
      Frame.seal(
        UnsafeMutableRawBufferPointer(rebasing: $0[frame]), at: frame.lowerBound, in: head)
    }
  }
}

/// A folder to open bytes in.
private struct SealedBytes: FileFolder {
  let path = ""
  let fileSystem: any FileSystem
  let sealing: (any Sealing)?

  func path(of name: String, in folder: OpenFile) -> String { name }
}

/// A sealing that fails when it is told to.
private final class SwitchedSealing: Sealing {
  private let current = Guarded(TestSealing())

  var failure: SealingError? {
    get { current.withLock { $0.failure } }
    set { current.withLock { $0.failure = newValue } }
  }

  var overheadBytes: Int { 8 }

  func seal(_ bytes: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try current.withLock { $0 }.seal(bytes, for: context)
  }

  func open(_ sealed: [UInt8], for context: [UInt8]) throws(SealingError) -> [UInt8] {
    try current.withLock { $0 }.open(sealed, for: context)
  }
}
