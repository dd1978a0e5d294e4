import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

/// Files that somebody has put into a store's folder, with right checksums and odd names.
@Suite("Files that were put in a store's folder")
struct PlacedFileTests {
  private let stores = TestStores()
  private let first = "/store/segments/0000000000000001.segment"

  /// Makes a store with a snapshot and two segments; gives what is on the disk.
  private func make(
    _ change: @escaping (inout Store.Options) -> Void = { _ in }
  ) throws -> (image: DiskImage, document: Document) {
    let store = try stores.open("/store", change)
    try store.put("one", of: "a")
    try store.compact()
    try store.put("two", of: "b")
    try store.close()
    return (stores.files.seenImage, store.document)
  }

  /// Salvages a store, and looks whether it has all afterwards; says what was wrong with it.
  private func salvage(
    _ image: DiskImage, _ document: Document, _ change: (inout Store.Options) -> Void = { _ in }
  ) throws -> [StoreFinding] {
    let stores = TestStores(SimulatedFileSystem(image), replicasAfter: 50)
    var options = stores.options
    change(&options)
    let report = try Store.salvage(at: "/store", options: options)
    let store = try stores.open("/store", change)
    #expect(store.document.records(in: "c") == document.records(in: "c"))
    #expect(try store.verify().isSound)
    try store.close()
    let store2 = try stores.open("/store", change)
    try store2.put("more")
    try store2.compact()
    try store2.close()
    return report.findings
  }

  @Test("Names of the greatest numbers are no numbers of the store's")
  func greatestNumbers() throws {
    let (whole, document) = try make()
    for name in ["ffffffffffffffff", "0001000000000000", "0000ffffffffffff"] {
      var image = whole.replacing("/store/MANIFEST", with: [])
      for kind in ["segment", "snapshot"] {
        image = image.replacing("/store/\(kind)s/\(name).\(kind)", with: [1])
      }
      #expect(try !salvage(image, document).isEmpty, "\(name)")
    }
  }

  /// A file with another number in its head, whose checksums are right.
  private func renumbered(
    _ bytes: [UInt8], _ kind: FileHead.Kind, _ number: UInt64
  ) throws -> [UInt8] {
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: kind)
    var other = FileHead(kind: kind, store: head.store, number: number)
    other.version = head.version
    var writer = ByteWriter()
    other.encode(to: &writer)
    var result = writer.finish() + bytes.dropFirst(FileHead.size)
    var place = FileHead.size
    while let body = bytes.withUnsafeBytes({ Frame.body(at: place, of: $0, in: head) }) {
      result.withUnsafeMutableBytes {
        let frame = UnsafeMutableRawBufferPointer(rebasing: $0[place..<body.upperBound])
        Frame.seal(frame, at: place, in: other)
      }
      place = body.upperBound
    }
    return result
  }

  @Test("Whole files of the greatest numbers give what they hold, and use no numbers up")
  func greatestNumbersOfWholeFiles() throws {
    let (whole, document) = try make()
    for number in [1 << 48, 1 << 48 - 1, 1 << 47 + 1] as [UInt64] {
      for kind in [FileHead.Kind.segment, .snapshot, .manifest] {
        let (own, placed) =
          switch kind {
          case .segment: ("segments/0000000000000002.segment", FileNames.segment(number))
          case .snapshot: ("snapshots/0000000000000001.snapshot", FileNames.snapshot(number))
          default: ("MANIFEST", "MANIFEST")
          }
        let folder = own.split(separator: "/").dropLast().map { "\($0)/" }.joined()
        let bytes = try renumbered(try #require(whole["/store/\(own)"]), kind, number)
        // One is there already, or nothing else tells what it holds.
        for isAlone in kind == .manifest ? [true] : [false, true] {
          var image = whole.replacing("/store/\(folder)\(placed)", with: bytes)
          if isAlone, kind != .manifest { image = image.replacing("/store/\(own)", with: nil) }
          // Something else that has to be salvaged.
          if kind == .manifest {
            image = image.replacing("/store/snapshots/0000000000000001.snapshot", with: nil)
          }
          let findings = try salvage(image, document)
          #expect(kind != .segment || !findings.isEmpty, "\(number), \(isAlone)")
        }
      }
    }
  }

  @Test("A copy of a segment under another name says nothing that is later than it is")
  func copies() throws {
    let (whole, document) = try make()
    let bytes = try #require(whole[first])
    for number in ["0000000000000003", "0000000000000007", "0001000000000000"] {
      let copy = "/store/segments/\(number).segment"
      let findings = try salvage(whole.replacing(copy, with: bytes), document)
      #expect(findings.map(\.path) == [copy])
    }
  }

  @Test("Any number of another store's files beside a store's own are findings, one each")
  func others() throws {
    let stores = TestStores()
    let store = try stores.open()
    for number in 0..<5 { try store.put(.int(Int64(number)), of: "r\(number)") }
    try store.close()
    let (whole, document) = (stores.files.seenImage, store.document)
    let strangers = TestStores(replicasAfter: 70)
    let stranger = try strangers.open("/store") { $0.makeStoreNumber = { 99 } }
    try stranger.put("theirs", of: "theirs")
    try stranger.close()
    let segment = try #require(strangers.files.seenImage[first])
    for bytes in [Array(segment.prefix(FileHead.size)), segment] {
      var image = whole
      for number in 5...9 as ClosedRange<UInt64> {
        image = image.replacing("/store/segments/\(FileNames.segment(number))", with: bytes)
      }
      let findings = try salvage(image, document)
      #expect(findings.count == 5 && !findings.contains { $0.path == first })
    }
  }

  @Test("Files that are gone are findings, each by its name")
  func missing() throws {
    let store = try stores.open()
    for number in 0..<6 {
      try store.put(.int(Int64(number)), of: "r\(number)")
      if number % 2 == 1 { try store.compact() }
    }
    try store.close()
    let whole = stores.files.seenImage
    let snapshots = whole.files.keys.filter { $0.hasSuffix(".snapshot") }.sorted()
    let image = snapshots.reduce(whole) { $0.replacing($1, with: nil) }
    let files = SimulatedFileSystem(image)
    var options = TestStores(files, replicasAfter: 50).options
    options.fileSystem = files
    let report = try Store.salvage(at: "/store", options: options)
    #expect(report.findings.map(\.path).contains(try #require(snapshots.last)))
  }

  @Test("Salvage looks at no byte more than a number of times, whatever looks like a frame")
  func forgedHeads() throws {
    let (whole, document) = try make()
    let last = try #require(whole.files.keys.filter { $0.hasSuffix(".segment") }.max())
    var bytes = try #require(whole[last])
    var reader = ByteReader(bytes)
    let head = try FileHead(from: &reader, kind: .segment)
    let size = 16 * (playsAll ? 20_000 : 4_000)
    let start = bytes.count
    bytes += [UInt8](repeating: 0xEE, count: size)
    for place in stride(from: start, to: bytes.count - 64, by: 16) {
      let frame = place..<bytes.count
      bytes.withUnsafeMutableBytes {
        Frame.seal(UnsafeMutableRawBufferPointer(rebasing: $0[frame]), at: place, in: head)
      }
    }
    var scan = try SegmentScan(bytes)
    while scan.resume(in: bytes) {}
    #expect(scan.bytesLookedAt <= 65 * bytes.count)
    _ = document
  }

  @Test("A sealed file, or one of a newer format, beside a store's own is a finding")
  func foreign() throws {
    let (whole, document) = try make()
    var sealed = FileHead(kind: .segment, store: 7, number: 3, isSealed: true)
    var body = ByteWriter()
    body.write([UInt8](repeating: 1, count: 40))
    let copy = "/store/segments/0000000000000003.segment"
    for version in [3, 5, 9] as [UInt8] {
      sealed.version = version
      let image = whole.replacing(copy, with: sealed.file(framing: body))
      let files = SimulatedFileSystem(image)
      let report = try Store.verify(at: "/store", fileSystem: files)
      #expect(report.findings.map(\.path).contains(copy), "\(version)")
      #expect(try salvage(image, document).map(\.path) == [copy], "\(version)")
      // Where nothing tells which of them it is, nothing is changed.
      let without = image.replacing("/store/MANIFEST", with: [])
      if version == 9 {
        #expect(try salvage(without, document).count == 2)
      } else {
        #expect(throws: StoreError.sealed(path: copy)) { try salvage(without, document) }
      }
    }
  }

  @Test("A manifest that is sealed, or of a newer format, beside a store's own files is a finding")
  func foreignManifest() throws {
    let manifest = "/store/MANIFEST"
    for isSealed in [false, true] {
      let key: (inout Store.Options) -> Void = { $0.sealing = isSealed ? TestSealing(key: 1) : nil }
      let (whole, document) = try PlacedFileTests().make(key)
      var body = ByteWriter()
      body.write([UInt8](repeating: 1, count: 40))
      for version in (isSealed ? [5, 9] : [3, 5, 9]) as [UInt8] {
        var head = FileHead(kind: .manifest, store: 7, number: 3)
        head.version = version
        let image = whole.replacing(manifest, with: head.file(framing: body))
        let files = SimulatedFileSystem(image)
        let report = try Store.verify(
          at: "/store", fileSystem: files, sealing: isSealed ? TestSealing(key: 1) : nil)
        #expect(report.findings.map(\.path) == [manifest], "\(isSealed), \(version)")
        #expect(report.filesRead >= 2 && report.changesRead > 0)
        #expect(files.seenImage == image)
        #expect(try salvage(image, document, key).map(\.path) == [manifest])
        // Where another file is alike, it may well be the store's own.
        head = FileHead(kind: .segment, store: 7, number: 3)
        head.version = version
        let segment = "/store/segments/0000000000000003.segment"
        let both = SimulatedFileSystem(image.replacing(segment, with: head.file(framing: body)))
        if version == 9 || !isSealed {
          #expect(throws: StoreError.self) {
            try Store.verify(
              at: "/store", fileSystem: both, sealing: isSealed ? TestSealing(key: 1) : nil)
          }
        }
      }
    }
  }

  @Test("A file that the system doesn't let be read is a finding, and nothing is salvaged without")
  func unreadable() throws {
    let (whole, document) = try make()
    for path in whole.files.keys.sorted() {
      if path.hasSuffix("LOCK") || path.hasSuffix("CLOSED") { continue }
      var item = FolderItem(try #require(whole[path]))
      item.isForbidden = true
      let files = SimulatedFileSystem(whole)
      let odd = try OddFileSystem(
        files, [String(path.dropFirst("/store/".count)): item], at: "/store")
      let report = try Store.verify(at: "/store", fileSystem: odd)
      #expect(report.findings.map(\.path) == [path])
      #expect(report.findings[0].reason.hasPrefix("it can't be read: "))
      var options = stores.options
      options.fileSystem = odd
      #expect(throws: StoreError.self) {
        try Store.salvage(at: "/store", options: options)
      }
      #expect(files.seenImage == whole, "\(path)")
    }
    #expect(try stores.open().document == document)
  }

  @Test("A length with a right checksum is nothing to make room for")
  func claims() throws {
    let (whole, document) = try make()
    let head = FileHead(kind: .snapshot, store: 7, number: 1)
    let claims: [UInt64] = [70 << 20, .max] + (playsAll ? [1 << 33, 400 << 30] : [])
    for claimed in claims {
      let snapshot = SnapshotFile(
        firstLiveSegment: 1, identity: StoreIdentity(replica: ReplicaID(1), home: 0),
        schema: Schema(), documentSize: claimed, documentChecksum: 1, local: [:])
      let bytes = head.file(framing: snapshot.encodedHead(in: head))
      var item = FolderItem(bytes)
      item.claimed = claimed > .max / 2 ? .max : bytes.count + Int(claimed)
      let name = "snapshots/0000000000000001.snapshot"
      for step in ["verify", "open", "salvage"] {
        let disk = SimulatedFileSystem(whole.replacing("/store/\(name)", with: bytes))
        let files = try OddFileSystem(disk, [name: item], at: "/store")
        var options = stores.options
        options.fileSystem = files
        switch step {
        case "verify":
          let report = try Store.verify(at: "/store", fileSystem: files)
          #expect(report.findings.map(\.path) == ["/store/\(name)"])
        case "open":
          #expect(throws: StoreError.self) {
            try Store.open(at: "/store", options: options)
          }
        default:
          _ = try Store.salvage(at: "/store", options: options)
          let store = try Store.open(at: "/store", options: options)
          #expect(store.document.records(in: "c") == document.records(in: "c"))
          try store.close()
        }
        #expect(files.load.requestMax <= 1 << 20, "\(step), \(claimed)")
      }
    }
  }

  @Test("A first frame that claims more than a write leaves is read in pieces")
  func claimedFrames() throws {
    let (whole, document) = try make()
    for (name, kind) in [
      ("MANIFEST", .manifest), ("snapshots/0000000000000001.snapshot", .snapshot),
      ("segments/0000000000000002.segment", .segment),
    ] as [(String, FileHead.Kind)] where playsAll || kind == .segment {
      let own = try #require(whole["/store/\(name)"])
      var reader = ByteReader(own)
      let head = try FileHead(from: &reader, kind: kind)
      // The claim is right, the body is not.
      var body = ByteWriter()
      body.write([UInt8](repeating: 1, count: StoreFile.tailSizeMax + 1))
      var item = FolderItem(Array(head.file(framing: body).prefix(FileHead.size + Frame.headSize)))
      item.claimed = FileHead.size + Frame.headSize + StoreFile.tailSizeMax + 1
      let disk = SimulatedFileSystem(whole.replacing("/store/\(name)", with: item.bytes))
      let files = try OddFileSystem(disk, [name: item], at: "/store")
      var options = stores.options
      options.fileSystem = files
      let report = try Store.verify(at: "/store", fileSystem: files)
      #expect(report.findings.map(\.path).contains("/store/\(name)"))
      #expect(throws: StoreError.self) { try Store.open(at: "/store", options: options) }
      _ = try Store.salvage(at: "/store", options: options)
      let store = try Store.open(at: "/store", options: options)
      #expect(Set(document.records(in: "c")).isSuperset(of: store.document.records(in: "c")))
      try store.close()
      #expect(files.load.requestMax <= 1 << 21, "\(name)")
    }
  }

  @Test("What stands under a name in the quarantine keeps nothing from being set aside")
  func quarantine() throws {
    let (whole, document) = try make()
    let name = "quarantine/MANIFEST.0.0"
    let image = whole.replacing("/store/MANIFEST", with: [1]).replacing(
      "/store/\(name)", with: [])
    let files = try OddFileSystem(
      SimulatedFileSystem(image), [name: FolderItem(kind: .link)], at: "/store")
    var options = stores.options
    options.fileSystem = files
    let report = try Store.salvage(at: "/store", options: options)
    #expect(report.filesSetAside == ["/store/quarantine/MANIFEST.0.1"])
    let store = try Store.open(at: "/store", options: options)
    #expect(store.document.records(in: "c") == document.records(in: "c"))
    try store.close()
  }

  @Test("A sealed store of which only the manifest is left is salvaged, and takes no others' files")
  func manifestAlone() throws {
    let key: (inout Store.Options) -> Void = { $0.sealing = TestSealing(key: 1) }
    let (whole, _) = try make(key)
    let forger = TestStores()
    let store = try forger.open("/store")
    try store.put("forged")
    try store.close()
    var image = whole
    for path in whole.files.keys where path.contains(".s") {
      image = image.replacing(path, with: forger.files.seenImage[first])
    }
    #expect(try salvage(image, Document(), key).count == 3)
  }
}
