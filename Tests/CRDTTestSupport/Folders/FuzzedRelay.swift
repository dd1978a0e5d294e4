import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// A small relay's folder that is true, with the stores that have written in it.
struct FuzzedRelay {
  static let root = "/relay"

  let sealing: TestSealing?
  let image: DiskImage
  let contents: FolderContents
  let writerCount: Int
  /// What was written of each record.
  let values: [String: Set<Int64>]
  let sources: FolderMutator.Sources

  init(seed: UInt64, isSealed: Bool) throws {
    var random = SeededGenerator(seed: seed)
    sealing = isSealed ? TestSealing(key: 1) : nil
    let document = DocumentID(high: 7, low: 7)
    let made = try Self.make(&random, sealing, document, prefix: "w")
    (image, writerCount, values) = (made.image, made.writerCount, made.values)
    contents = Self.contents(of: image)
    let other = try Self.make(&random, sealing, DocumentID(high: 8, low: 8), prefix: "other")
    let forged = [isSealed ? nil : TestSealing(key: 3), TestSealing(key: 2)]
    sources = FolderMutator.Sources(
      others: Self.files(other.image),
      forged: try forged.flatMap {
        Self.files(try Self.make(&random, $0, document, prefix: "forged").image)
      } + Self.files(try Self.make(&random, nil, document, prefix: "forged").image),
      earlier: made.earlier)
  }

  static func contents(of image: DiskImage) -> FolderContents {
    var contents: FolderContents = [:]
    for (path, bytes) in image.files where path.hasPrefix(root + "/") {
      contents[String(path.dropFirst(root.count + 1))] = FolderItem(bytes)
    }
    return contents
  }

  private static func files(_ image: DiskImage) -> [[UInt8]] {
    contents(of: image).sorted { $0.key < $1.key }.map(\.value.bytes)
  }

  static func relayOptions(_ sealing: TestSealing?) -> FolderRelay.Options {
    var options = FolderRelay.Options()
    options.sealing = sealing
    options.maximumFileBytes = RelayJudge.requestMax
    return options
  }

  private struct Made {
    var image = DiskImage()
    var writerCount = 0
    var values: [String: Set<Int64>] = [:]
    var earlier: [[UInt8]] = []
  }

  private static func make(
    _ random: inout SeededGenerator, _ sealing: TestSealing?, _ document: DocumentID,
    prefix: String
  ) throws -> Made {
    let disk = SimulatedFileSystem()
    let world = FuzzedWorld(fileSystem: disk, document: document)
    var made = Made()
    made.writerCount = .random(in: 2...4, using: &random)
    let stores = try (0..<made.writerCount).map {
      try Store.open(at: "/w\($0)", options: world.options(replica: UInt64($0) + 1))
    }
    var options = relayOptions(sealing)
    options.minimumMergedFiles = .random(in: 2...8, using: &random)
    let relays = stores.map { $0.relay(at: root, options: options) }
    for round in 0..<Int64.random(in: 3...10, using: &random) {
      let writer = Int.random(in: stores.indices, using: &random)
      for record in ["\(prefix)\(writer)-\(round)", "shared"] {
        let value = prefix == "w" ? round : -1
        try stores[writer].put([(record, value)])
        made.values[record, default: []].insert(value)
      }
      if Int.random(in: 0..<4, using: &random) > 0 { try relays[writer].sync() }
      if Int.random(in: 0..<8, using: &random) == 0 { try relays[writer].publishAll() }
      if round % 3 == 1 { made.earlier += files(disk.seenImage) }
    }
    for writer in stores.indices where Int.random(in: 0..<3, using: &random) > 0 {
      try relays[writer].sync()
    }
    for store in stores { try store.close() }
    made.image = disk.seenImage
    return made
  }

  /// A name that means something in a relay's folder.
  static func name(_ random: inout SeededGenerator, _ contents: FolderContents) -> String {
    let folders = Set(contents.keys.compactMap { $0.split(separator: "/").first.map(String.init) })
    let folder =
      (folders.sorted() + ["0000000000000001", "0000000000000063", "ffffffffffffffff"])
      .drawn(using: &random)
    let numbers: [UInt64] = [1, 2, 1_750_000_000_001, 1 << 47, 1 << 48 - 1, 1 << 48, .max]
    let digits = String(numbers.drawn(using: &random), radix: 16)
    let number = String(repeating: "0", count: 16 - digits.count) + digits
    return [
      "\(folder)/\(number).delta", "\(folder)/\(number).delta", "\(folder)/\(number).delta",
      "\(folder)/\(number).delta.new", "\(folder)/\(number)", "MANIFEST", "LOCK", "\(number)",
      "segments", "0000000000000063",
    ].drawn(using: &random)
  }
}
