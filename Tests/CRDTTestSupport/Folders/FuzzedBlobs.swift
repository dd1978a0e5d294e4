import CRDTStore
import CRDTStoreTesting

/// A small folder of blobs that is true.
struct FuzzedBlobs {
  static let root = "/blobs"

  let image: DiskImage
  let contents: FolderContents
  /// The bytes of each blob, by its path in the folder.
  let blobs: [String: [UInt8]]
  let sources: FolderMutator.Sources

  static func options(_ files: any FileSystem) -> BlobStoreOptions {
    var options = BlobStoreOptions()
    options.fileSystem = files
    options.freeBytesMin = 0
    for blobClass in BlobClass.allCases {
      options.limits[blobClass] = BlobLimits(softBytes: 20_000, hardBytes: 40_000)
    }
    return options
  }

  init(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let disk = SimulatedFileSystem()
    let store = try await BlobStore.open(at: Self.root, options: Self.options(disk))
    var (blobs, others): ([String: [UInt8]], [[UInt8]]) = ([:], [])
    for _ in 0..<Int.random(in: 3...8, using: &random) {
      let bytes = (0..<Int.random(in: 0...900, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let blobClass = BlobClass.allCases.drawn(using: &random)
      let id = try await store.put(bytes, as: blobClass, isSent: Bool.random(using: &random))
      if Bool.random(using: &random) { _ = try await store.pin(id) }
      blobs["\(blobClass.rawValue)/\(id)-\(bytes.count)"] = bytes
      others.append(bytes.reversed())
    }
    await store.close()
    image = disk.seenImage
    var contents: FolderContents = [:]
    for (path, bytes) in image.files {
      contents[String(path.dropFirst(Self.root.count + 1))] = FolderItem(bytes)
    }
    self.contents = contents
    self.blobs = blobs
    sources = FolderMutator.Sources(others: others, forged: others, earlier: Array(blobs.values))
  }

  /// A name that means something in a folder of blobs.
  static func name(_ random: inout SeededGenerator, _ contents: FolderContents) -> String {
    let known = contents.keys.sorted().compactMap { path -> String? in
      let name = path.split(separator: "/").last ?? ""
      return name.count >= 64 ? String(name.prefix(64)) : nil
    }
    let id = (known + [String(repeating: "a", count: 64)]).drawn(using: &random)
    let size = [0, 1, 7, 30_000, 400 << 30, 1 << 40, 1 << 41].drawn(using: &random)
    let folder = BlobClass.allCases.drawn(using: &random).rawValue
    return [
      "\(folder)/\(id)-\(size)", "\(folder)/\(id)-\(size)", "\(folder)/\(id)-\(size).new",
      "\(folder)/\(id).pinned", "\(folder)/\(id).sent", "\(folder)/\(id).unsent", "RECENT",
      "RECENT.new", "LOCK", "quarantine/\(id)-\(size).0",
    ].drawn(using: &random)
  }
}

/// Opens a folder of blobs that was damaged, and says what is wrong with what comes of it.
struct BlobJudge {
  let store: FuzzedBlobs
  let contents: FolderContents
  let root: String
  let ground: FuzzedGround

  /// The first thing that is wrong; `nil` if nothing is.
  func discrepancy() async throws -> String? {
    let isBarred = contents.contains { path, item in
      item.isForbidden || (path == "LOCK" && item.kind != .file)
        || !path.contains("/")
          && path != "LOCK" && path != "RECENT"
    }
    do throws(StoreError) {
      let opened = try await BlobStore.open(
        at: root, options: FuzzedBlobs.options(ground.fileSystem))
      let wrong = await wrong(opened)
      await opened.close()
      if let wrong { return wrong }
    } catch {
      guard let path = error.fuzzedPath, path.hasPrefix(root) else {
        return "open: an error that names no file: \(error)"
      }
      if !isBarred { return "open: \(error)" }
    }
    let load = ground.load()
    if load.requestMax > RelayJudge.requestMax { return "made room for \(load.requestMax)" }
    return load.openCount != 0 ? "\(load.openCount) descriptors are left open" : nil
  }

  private func wrong(_ opened: BlobStore) async -> String? {
    for (path, bytes) in store.blobs.sorted(by: { $0.key < $1.key }) {
      let isKept = isUntouched(path)
      do throws(StoreError) {
        let found = try await opened.get(BlobID(of: bytes))
        if let found, found != bytes { return "\(path): other bytes" }
        if found == nil, isKept { return "\(path) is lost" }
      } catch {
        guard let place = error.fuzzedPath, place.hasPrefix(root) else {
          return "\(path): an error that names no file: \(error)"
        }
        if isKept { return "\(path): \(error)" }
      }
      if isKept, ground.files()["\(root)/\(path)"] != bytes { return "\(path) is gone" }
    }
    return nil
  }

  /// Whether a blob that was there is as it was, with all that is noted of it.
  private func isUntouched(_ path: String) -> Bool {
    let marks = path.prefix { $0 != "-" } + "."
    // What is needed now goes when the store is opened.
    let isGone =
      path.hasPrefix("temporary") && contents["\(marks)pinned"] == nil
      && contents["\(marks)unsent"] == nil
    if isGone { return false }
    return contents[path] == store.contents[path] && contents[path] != nil
      && Set(contents.keys).union(store.contents.keys).allSatisfy {
        !$0.hasPrefix(marks) || contents[$0] == store.contents[$0]
      }
  }
}
