import CRDTStore
import CRDTStoreTesting

/// A small folder of blobs that is true.
struct FuzzedBlobs {
  static let root = "/blobs"

  let sealing: TestSealing?
  let image: DiskImage
  let contents: FolderContents
  /// The bytes of each blob, by its path in the folder.
  let blobs: [String: [UInt8]]
  let sources: FolderMutator.Sources

  static func options(
    _ files: any FileSystem, _ sealing: TestSealing?, numbersFrom first: UInt64 = 1
  ) -> BlobStore.Options {
    var options = BlobStore.Options()
    options.fileSystem = files
    options.minimumFreeBytes = 0
    options.sealing = sealing
    let numbers = Guarded(first)
    options.makeNumber = {
      numbers.withLock {
        $0 += 1
        return $0 &* 0x9E37_79B9_7F4A_7C15
      }
    }
    for blobClass in BlobStore.BlobClass.allCases {
      options.limits[blobClass] = BlobStore.Limits(softBytes: 20_000, hardBytes: 40_000)
    }
    return options
  }

  init(seed: UInt64, isSealed: Bool) async throws {
    var random = SeededGenerator(seed: seed)
    sealing = isSealed ? TestSealing(key: 1) : nil
    let made = try await Self.make(&random, sealing, number: 1)
    (image, blobs) = (made.image, made.blobs)
    contents = Self.contents(of: image)
    let reversed = made.blobs.values.map { Array($0.reversed()) }.sorted { $0.count < $1.count }
    var (others, forged) = (reversed, reversed)
    if let sealing {
      others += Self.files(try await Self.make(&random, sealing, number: 1_000).image)
      forged += Self.files(try await Self.make(&random, TestSealing(key: 2), number: 1).image)
    }
    sources = FolderMutator.Sources(
      others: others, forged: forged,
      earlier: made.blobs.values.sorted { $0.count < $1.count } + made.earlier)
  }

  private struct Made {
    var image = DiskImage()
    var blobs: [String: [UInt8]] = [:]
    var earlier: [[UInt8]] = []
  }

  private static func make(
    _ random: inout SeededGenerator, _ sealing: TestSealing?, number: UInt64
  ) async throws -> Made {
    let disk = SimulatedFileSystem()
    let store = try await BlobStore.open(
      at: root, options: options(disk, sealing, numbersFrom: number))
    var made = Made()
    for round in 0..<Int.random(in: 3...8, using: &random) {
      let bytes = (0..<Int.random(in: 0...900, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      let blobClass = BlobStore.BlobClass.allCases.drawn(using: &random)
      let before = Set(disk.seenImage.files.keys)
      let id = try await store.put(bytes, as: blobClass, isSent: Bool.random(using: &random))
      let path = disk.seenImage.files.keys.first {
        !before.contains($0) && ($0.hasSuffix(".sealed") || $0.contains("\(id)-"))
      }
      if let path { made.blobs[String(path.dropFirst(root.count + 1))] = bytes }
      if Bool.random(using: &random) { _ = try await store.pin(id) }
      if sealing != nil, round % 3 == 1 { made.earlier += files(disk.seenImage) }
    }
    await store.close()
    made.image = disk.seenImage
    return made
  }

  private static func contents(of image: DiskImage) -> FolderContents {
    var contents: FolderContents = [:]
    for (path, bytes) in image.files {
      contents[String(path.dropFirst(root.count + 1))] = FolderItem(bytes)
    }
    return contents
  }

  private static func files(_ image: DiskImage) -> [[UInt8]] {
    contents(of: image).sorted { $0.key < $1.key }.map(\.value.bytes).filter { !$0.isEmpty }
  }

  /// A name that means something in a folder of blobs.
  static func name(_ random: inout SeededGenerator, _ contents: FolderContents) -> String {
    let known = contents.keys.sorted().compactMap { path -> String? in
      let name = path.split(separator: "/").last ?? ""
      return name.count >= 64 ? String(name.prefix(64)) : nil
    }
    let id = (known + [String(repeating: "a", count: 64)]).drawn(using: &random)
    let size = [0, 1, 7, 30_000, 400 << 30, 1 << 40, 1 << 41].drawn(using: &random)
    let folder = BlobStore.BlobClass.allCases.drawn(using: &random).rawValue
    return [
      "\(folder)/\(id)-\(size)", "\(folder)/\(id)-\(size)", "\(folder)/\(id)-\(size).new",
      "\(folder)/\(id).pinned", "\(folder)/\(id).sent", "\(folder)/\(id).unsent", "RECENT",
      "RECENT.new", "LOCK", "quarantine/\(id)-\(size).0", "NAMES", "NAMES.new",
      "\(folder)/\(id)-\(size).sealed", "\(folder)/\(id).mark",
    ].drawn(using: &random)
  }
}
