import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// A small store that is true, and what is known of it.
struct FuzzedStore {
  static let root = "/store"

  let sealing: TestSealing?
  let image: DiskImage
  let contents: FolderContents
  /// Of each commit, in order, the files of which one has it; commit *n* wrote the records
  /// `r<n>` and `shared`, both with the value *n*.
  let commits: [Set<String>]
  /// How many commits a snapshot has.
  let snapshots: [String: Int]
  let sources: FolderMutator.Sources

  /// Makes the store of a seed.
  init(seed: UInt64, isSealed: Bool) throws {
    var random = SeededGenerator(seed: seed)
    sealing = isSealed ? TestSealing(key: 1) : nil
    let made = try Self.make(&random, sealing: sealing, number: 7, prefix: "r")
    (image, commits, snapshots) = (made.image, made.commits, made.snapshots)
    contents = Self.contents(of: image)
    sources = FolderMutator.Sources(
      others: Self.files(
        try Self.make(&random, sealing: sealing, number: 9, prefix: "other").image),
      forged: Self.files(try Self.make(&random, sealing: nil, number: 7, prefix: "forged").image)
        + Self.files(
          try Self.make(&random, sealing: TestSealing(key: 2), number: 7, prefix: "forged").image),
      earlier: made.earlier)
  }

  private static func files(_ image: DiskImage) -> [[UInt8]] {
    contents(of: image).sorted { $0.key < $1.key }.map(\.value.bytes).filter { !$0.isEmpty }
  }

  private static func contents(of image: DiskImage) -> FolderContents {
    var contents: FolderContents = [:]
    for (path, bytes) in image.files where path.hasPrefix(root + "/") {
      contents[String(path.dropFirst(root.count + 1))] = FolderItem(bytes)
    }
    return contents
  }

  private struct Made {
    var image = DiskImage()
    var commits: [Set<String>] = []
    var snapshots: [String: Int] = [:]
    var earlier: [[UInt8]] = []
  }

  private static func make(
    _ random: inout SeededGenerator, sealing: TestSealing?, number: UInt64, prefix: String
  ) throws -> Made {
    let disk = SimulatedFileSystem()
    let world = FuzzedWorld(fileSystem: disk, sealing: sealing, storeNumber: number)
    var options = world.options(replica: 1)
    options.segmentBytes = .random(in: 300...3_000, using: &random)
    var made = Made()
    var store = try Store.open(at: root, options: options)
    var before = contents(of: disk.seenImage)
    let count = Int64.random(in: 3...14, using: &random)
    for commit in 0..<count {
      let text =
        Int.random(in: 0..<6, using: &random) == 0 ? String(repeating: "x", count: 5_000) : nil
      let value = prefix == "r" ? commit : -1
      try store.put([("\(prefix)\(commit)", value), ("shared", value)], text: text)
      let after = contents(of: disk.seenImage)
      made.commits.append(
        Set(after.keys.filter { $0.hasPrefix("segments") && before[$0] != after[$0] }))
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: try store.compact()
      case 2:
        try store.close()
        store = try Store.open(at: root, options: options)
      default: break
      }
      before = contents(of: disk.seenImage)
      for path in before.keys where path.hasPrefix("snapshots") && made.snapshots[path] == nil {
        made.snapshots[path] = Int(commit) + 1
      }
      if commit % 3 == 1 { made.earlier += files(disk.seenImage) }
    }
    try store.close()
    made.image = disk.seenImage
    return made
  }

  /// A name that means something in a store's folder.
  static func name(_ random: inout SeededGenerator, _ contents: FolderContents) -> String {
    let numbers: [UInt64] = [1, 2, 3, 4, 5, 6, 7, 8, 1 << 48 - 1, 1 << 63, .max]
    let digits = String(numbers.drawn(using: &random), radix: 16)
    let number = String(repeating: "0", count: 16 - digits.count) + digits
    return [
      "segments/\(number).segment", "segments/\(number).segment",
      "snapshots/\(number).snapshot", "snapshots/\(number).snapshot", "MANIFEST", "MANIFEST.new",
      "LOCK", "CLOSED", "segments/\(number).segment.new", "snapshots/\(number).snapshot.new",
      "quarantine/\(number).segment.0", "quarantine/MANIFEST.0.0", "segments/\(number)",
    ].drawn(using: &random)
  }
}
