/// The contents of a disk: folders and the bytes of files.
///
/// You can create any number of ``SimulatedFileSystem`` instances from it. Images are equal
/// if the same paths hold the same bytes.
///
/// Files keep their numbers and change times, as on a disk that is restored from an image:
/// a store can't detect that from its files. An image that you create from paths and bytes
/// contains copies, with times of their own.
public struct DiskImage: Sendable {
  /// A file or a folder; a folder's names lead to numbers of nodes.
  enum Node {
    case file(FileBytes)
    case folder([String: Int])
  }

  /// Files and folders by number; number 0 is the folder `/`.
  ///
  /// Some may have no name any more, or not yet.
  let nodes: [Node]
  /// The change times of files and folders, by number: the number of changes before.
  let changeTimes: [UInt64]
  /// The number of changes.
  let time: UInt64
  /// A hash of all paths and bytes, the same for equal images in one process.
  package let fingerprint: UInt64

  init(nodes: [Node], changeTimes: [UInt64], time: UInt64) {
    self.nodes = nodes
    self.changeTimes = changeTimes
    self.time = time
    fingerprint = Self.fingerprint(of: 0, in: nodes)
  }

  /// Creates an image from files by their absolute paths, and folders.
  public init(files: [String: [UInt8]] = [:], folders: [String] = []) {
    var tree = DiskTree()
    for folder in folders { _ = tree.makeFolders(Self.names(in: folder)) }
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      let names = Self.names(in: path)
      guard let name = names.last else { continue }
      tree.set(FileBytes(bytes), name, in: tree.makeFolders(names.dropLast()))
    }
    self.init(nodes: tree.nodes, changeTimes: tree.changeTimes, time: tree.time)
  }

  /// The names that a path leads through.
  static func names(in path: String) -> [String] {
    var names: [String] = []
    for name in path.split(separator: "/") {
      // There are no links, so this is the parent folder.
      if name == ".." { _ = names.popLast() } else if name != "." { names.append(String(name)) }
    }
    return names
  }

  // The sum does not depend on the order of names, so they need no sorting.
  private static func fingerprint(of node: Int, in nodes: [Node]) -> UInt64 {
    switch nodes[node] {
    case .file(let bytes): return bytes.fingerprint
    case .folder(let names):
      var sum: UInt64 = 1
      for (name, child) in names {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(fingerprint(of: child, in: nodes))
        sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
      }
      return sum
    }
  }
}

extension DiskImage {
  /// The bytes of all files by path.
  public var files: [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    visit(0, "") { path, bytes in files[path] = bytes }
    return files
  }

  /// The paths of the empty folders.
  package var emptyFolders: [String] {
    var folders: [String] = []
    visit(0, "") { path, bytes in if bytes == nil { folders.append(String(path.dropLast())) } }
    return folders
  }

  /// The bytes of the file at a path; `nil` if there is none.
  public subscript(path: String) -> [UInt8]? {
    guard let node = node(at: Self.names(in: path)), case .file(let file) = nodes[node] else {
      return nil
    }
    return file.bytes
  }

  /// Returns an image in which the file at a path has other bytes, or is removed.
  ///
  /// The result has a new file there. Everything else is shared, so damaging one byte is
  /// cheap.
  public func replacing(_ path: String, with bytes: [UInt8]?) -> DiskImage {
    let names = Self.names(in: path)
    guard let name = names.last else { return self }
    var tree = DiskTree(self)
    tree.set(bytes.map(FileBytes.init), name, in: tree.makeFolders(names.dropLast()))
    return DiskImage(nodes: tree.nodes, changeTimes: tree.changeTimes, time: tree.time)
  }

  /// The number of the node at a path.
  func node(at names: [String]) -> Int? {
    var node = 0
    for name in names {
      guard case .folder(let entries) = nodes[node], let child = entries[name] else { return nil }
      node = child
    }
    return node
  }

  private func visit(_ node: Int, _ path: String, _ body: (String, [UInt8]?) -> Void) {
    switch nodes[node] {
    case .file(let file): body(path, file.bytes)
    case .folder(let entries):
      if entries.isEmpty { body(path + "/", nil) }
      for (name, child) in entries.sorted(by: { $0.key < $1.key }) {
        visit(child, "\(path)/\(name)", body)
      }
    }
  }
}

extension DiskImage: Hashable {
  /// Whether the same paths hold the same bytes.
  public static func == (left: DiskImage, right: DiskImage) -> Bool {
    left.fingerprint == right.fingerprint && left.files == right.files
  }

  /// Adds a hash of all paths and bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(fingerprint)
  }
}

extension DiskImage: CustomStringConvertible {
  /// The paths in order, each with its size and the first and last of its bytes.
  public var description: String {
    var lines: [String] = []
    visit(0, "") { path, bytes in
      guard let bytes else { return lines.append("\(path) (empty folder)") }
      let shown = bytes.count <= 48 ? "\(bytes)" : "\(bytes.prefix(24)) … \(bytes.suffix(24))"
      lines.append("\(path): \(bytes.count) bytes \(shown)")
    }
    return lines.joined(separator: "\n")
  }
}

/// A builder of files and folders.
struct DiskTree {
  private(set) var nodes: [DiskImage.Node] = [.folder([:])]
  private(set) var changeTimes: [UInt64]
  private(set) var time: UInt64

  /// Creates a tree with only the folder `/`, at a time long after those of a disk that
  /// starts empty.
  init() {
    time = 1 << 32
    changeTimes = [time]
  }

  init(_ image: DiskImage) {
    (nodes, changeTimes, time) = (image.nodes, image.changeTimes, image.time)
  }

  private mutating func append(_ node: DiskImage.Node) {
    time += 1
    nodes.append(node)
    changeTimes.append(time)
  }

  /// The folder at a path, which is created if it does not exist.
  mutating func makeFolders(_ names: some Sequence<String>) -> Int {
    var folder = 0
    for name in names {
      guard case .folder(var entries) = nodes[folder] else { return folder }
      if let child = entries[name] {
        folder = child
      } else {
        entries[name] = nodes.count
        nodes[folder] = .folder(entries)
        folder = nodes.count
        append(.folder([:]))
      }
    }
    return folder
  }

  /// Sets the bytes of a name in a folder, or removes it.
  mutating func set(_ bytes: FileBytes?, _ name: String, in folder: Int) {
    guard case .folder(var entries) = nodes[folder] else { return }
    entries[name] = bytes == nil ? nil : nodes.count
    nodes[folder] = .folder(entries)
    if let bytes { append(.file(bytes)) }
  }
}
