import CRDTStoreTesting

/// Does to a folder what accidents, syncing tools and strangers do.
struct FolderMutator {
  /// Files that may come into the folder from elsewhere.
  struct Sources {
    /// Whole files of another store or document, which nobody has fitted to this one.
    var others: [[UInt8]] = []
    /// Files of somebody who has no key and knows the format: all in them is right but the key.
    var forged: [[UInt8]] = []
    /// The folder's own files as they once were.
    var earlier: [[UInt8]] = []
  }

  var random: SeededGenerator
  let sources: Sources
  /// A name that means something in such a folder.
  let plausibleName: (inout SeededGenerator, FolderContents) -> String
  /// What was done, in words.
  private(set) var log: [String] = []
  /// Whether something was made that only a key tells from what is true.
  private(set) var isForged = false
  /// Whether there are files of others that nobody has fitted to this folder.
  private(set) var hasOthers = false

  init(
    _ random: SeededGenerator, _ sources: Sources,
    plausibleName: @escaping (inout SeededGenerator, FolderContents) -> String
  ) {
    (self.random, self.sources, self.plausibleName) = (random, sources, plausibleName)
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }

  private mutating func randomBytes(_ max: Int) -> [UInt8] {
    let isZero = number(0...2) == 0
    return (0..<number(1...max)).map { _ in
      isZero ? 0 : UInt8(truncatingIfNeeded: random.next())
    }
  }

  private mutating func path(in contents: FolderContents) -> String? {
    contents.keys.sorted().randomElement(using: &random)
  }

  /// A name to put something under: mostly one that means something.
  private mutating func name(in contents: FolderContents) -> String? {
    let name: String
    if number(0...4) == 0, let beside = path(in: contents) {
      let folder = beside.lastIndex(of: "/").map { String(beside[...$0]) } ?? ""
      let odd = [
        "README", ".DS_Store", "desktop.ini", "x y\u{1B}[31m", String(repeating: "n", count: 255),
        "é", "0", "0000000000000000.segment", "-1", "ffffffffffffffff", "~lock", "a.tmp", ".new",
      ]
      name = folder + (odd.randomElement(using: &random) ?? "")
    } else {
      name = plausibleName(&random, contents)
    }
    // A file has no files in it, nor takes a folder's place unnoticed.
    let isInFile = contents.keys.contains { name.hasPrefix($0 + "/") }
    let isFolder = contents.keys.contains { $0.hasPrefix(name + "/") }
    return isInFile || isFolder ? nil : name
  }

  /// Changes the folder in one way; says whether there was a way.
  mutating func mutate(_ contents: inout FolderContents) {
    guard let path = path(in: contents), let item = contents[path] else { return }
    let choice = number(0...21)
    switch choice {
    case 0...2: move(path, item, &contents)
    case 3, 4:
      for _ in 0..<number(1...3) {
        guard let name = name(in: contents) else { continue }
        contents[name] = item
        log.append("copied \(path) to \(name)")
      }
    case 5...12: change(path, choice, &contents)
    case 13, 14: splice(path, &contents)
    case 15, 16: bring(&contents)
    case 17: replaceFolder(of: path, &contents)
    case 18 where number(0...9) == 0:
      for _ in 0..<number(50...200) {
        if let name = name(in: contents) { contents[name] = FolderItem(randomBytes(8)) }
      }
      log.append("many files")
    case 19: refit(path, &contents)
    case 20:
      contents[path] = nil
      log.append("removed \(path)")
    default:
      guard let name = name(in: contents) else { return }
      contents[name] = FolderItem(number(0...1) == 0 ? [] : randomBytes(300))
      log.append("put \(contents[name]?.bytes.count ?? 0) bytes at \(name)")
    }
  }

  private mutating func move(_ path: String, _ item: FolderItem, _ contents: inout FolderContents) {
    if number(0...1) == 0, let other = self.path(in: contents) {
      (contents[path], contents[other]) = (contents[other], item)
      log.append("exchanged \(path) and \(other)")
    } else if let name = name(in: contents) {
      contents[path] = nil
      contents[name] = item
      log.append("renamed \(path) to \(name)")
    }
  }

  /// Changes one item in its place.
  private mutating func change(_ path: String, _ choice: Int, _ contents: inout FolderContents) {
    var item = contents[path] ?? FolderItem()
    let size = item.bytes.count
    switch choice {
    case 5: item.bytes.removeLast(number(0...size))
    case 6: item.bytes += number(0...1) == 0 ? randomBytes(5_000) : Array(item.bytes.prefix(700))
    case 7:
      let sizes = [400 << 30, 70 << 20, 3 << 30, 1 << 40, 1 << 31, .max, size + 1, size + 4_096]
      item.claimed = sizes.randomElement(using: &random)
    case 8: item.bytes = []
    case 9:
      item = FolderItem(kind: [.folder, .pipe, .link, .socket].drawn(using: &random))
    case 10 where size > 0:
      for _ in 0..<number(1...3) { item.bytes[number(0...size - 1)] ^= 1 << UInt8(number(0...7)) }
    case 11:
      if number(0...3) == 0 {
        item.isForbidden = true
      } else {
        item.time = number(0...2_000_000_000)
      }
    default:
      item.growth = number(0...1) == 0 ? randomBytes(3_000) : item.bytes
      item.growsAfter = number(1...5)
    }
    contents[path] = item
    log.append("changed \(path) (\(choice)): \(size) to \(item.bytes.count), \(item.kind)")
  }

  /// Puts bytes of another file into one.
  private mutating func splice(_ path: String, _ contents: inout FolderContents) {
    guard var item = contents[path], let (bytes, what) = source(contents) else { return }
    let start = number(0...1) == 0 ? 0 : number(0...item.bytes.count)
    item.bytes.replaceSubrange(start..., with: bytes.dropFirst(start))
    contents[path] = item
    log.append("spliced \(what) into \(path) at \(start)")
  }

  /// Puts a file from elsewhere beside the others, or over one.
  private mutating func bring(_ contents: inout FolderContents) {
    guard let (bytes, what) = source(contents), let name = name(in: contents) else { return }
    contents[name] = FolderItem(bytes)
    log.append("brought \(what) as \(name)")
  }

  private mutating func source(_ contents: FolderContents) -> ([UInt8], String)? {
    switch number(0...3) {
    case 0:
      hasOthers = true
      return sources.others.randomElement(using: &random).map { ($0, "another's") }
    case 1:
      isForged = true
      return sources.forged.randomElement(using: &random).map { ($0, "a forged file") }
    case 2: return sources.earlier.randomElement(using: &random).map { ($0, "an earlier file") }
    default:
      return path(in: contents).flatMap { contents[$0] }.map { ($0.bytes, "its own") }
    }
  }

  /// Puts something that is no folder in a folder's place.
  private mutating func replaceFolder(of path: String, _ contents: inout FolderContents) {
    guard let slash = path.lastIndex(of: "/"), number(0...2) == 0 else { return }
    let folder = String(path[..<slash])
    for name in contents.keys where name.hasPrefix(folder + "/") { contents[name] = nil }
    let kind = FolderItem.Kind.allCases.drawn(using: &random)
    contents[folder] = FolderItem(kind: kind)
    log.append("replaced the folder \(folder) by a \(kind)")
  }

  /// Changes a file, and makes all checksums right, as somebody does who means it.
  private mutating func refit(_ path: String, _ contents: inout FolderContents) {
    guard var item = contents[path], item.bytes.count > 48 else { return }
    isForged = true
    switch number(0...3) {
    case 0:
      for _ in 0..<number(1...3) {
        item.bytes[number(40...item.bytes.count - 1)] = UInt8(truncatingIfNeeded: random.next())
      }
      item.bytes = FrameFormat.rewritten(item.bytes)
    case 1:
      let numbers: [UInt64] = [1, 2, 3, 1 << 48 - 1, .max]
      item.bytes = FrameFormat.rewritten(item.bytes, number: numbers.drawn(using: &random))
    case 2 where path != "MANIFEST":
      item.bytes = FrameFormat.rewritten(item.bytes, version: UInt8(number(6...255)))
    default:
      // To look through gigabytes takes a second, and is seldom worth it.
      let sizes: [UInt32] = number(0...199) == 0 ? [1 << 31, .max] : [65 << 20, 70 << 20]
      item.bytes = FrameFormat.claiming(
        item.bytes, bodySize: sizes.drawn(using: &random))
      item.claimed = [400 << 30, 5 << 30, .max].randomElement(using: &random)
    }
    contents[path] = item
    log.append("refitted \(path), now \(item.bytes.count) bytes, claims \(item.claimed ?? -1)")
  }
}

extension Array {
  /// One of the elements, of which there must be some.
  func drawn(using random: inout SeededGenerator) -> Element {
    self[Int.random(in: indices, using: &random)]
  }
}
