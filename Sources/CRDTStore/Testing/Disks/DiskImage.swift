/// What is on a disk: folders and the bytes of files.
///
/// A ``SimulatedFileSystem`` can be made of it, again and again. Images are equal if
/// the same paths hold the same bytes, however they came there.
///
/// Files keep their numbers and the times of their last changes, as a disk does whose image is
/// put back: so a store can't tell that from its files. Files that an image is made of by
/// their paths and bytes are copies, with times of their own.
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
  /// When files and folders were last changed, by number: how many changes there had been.
  let changeTimes: [UInt64]
  /// How many changes there have been.
  let time: UInt64
  /// A hash of all paths and bytes, the same for equal images in one process.
  package let fingerprint: UInt64

  init(nodes: [Node], changeTimes: [UInt64], time: UInt64) {
    self.nodes = nodes
    self.changeTimes = changeTimes
    self.time = time
    fingerprint = Self.fingerprint(of: 0, in: nodes)
  }

  /// Creates an image of files by their absolute paths, and of folders, empty or not.
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
      // There are no links, so this is the folder around it.
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

  /// The paths of the folders in which there is nothing.
  package var emptyFolders: [String] {
    var folders: [String] = []
    visit(0, "") { path, bytes in if bytes == nil { folders.append(String(path.dropLast())) } }
    return folders
  }

  /// The bytes of the file at a path; `nil` where there is none.
  public subscript(path: String) -> [UInt8]? {
    guard let node = node(at: Self.names(in: path)), case .file(let file) = nodes[node] else {
      return nil
    }
    return file.bytes
  }

  /// An image in which the file at a path holds other bytes, or is gone.
  ///
  /// It is another file than before. Everything else is shared, so that a damage to one byte
  /// costs little.
  public func replacing(_ path: String, with bytes: [UInt8]?) -> DiskImage {
    let names = Self.names(in: path)
    guard let name = names.last else { return self }
    var tree = DiskTree(self)
    tree.set(bytes.map(FileBytes.init), name, in: tree.makeFolders(names.dropLast()))
    return DiskImage(nodes: tree.nodes, changeTimes: tree.changeTimes, time: tree.time)
  }

  /// The number of the node that names lead to.
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

/// Files and folders that are being put together.
struct DiskTree {
  private(set) var nodes: [DiskImage.Node] = [.folder([:])]
  private(set) var changeTimes: [UInt64]
  private(set) var time: UInt64

  /// Begins with the folder `/` alone, long after the files of a disk that begins empty.
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

  /// The folder that names lead to, made where it is not there.
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

  /// Gives a name in a folder to new bytes, or to nothing.
  mutating func set(_ bytes: FileBytes?, _ name: String, in folder: Int) {
    guard case .folder(var entries) = nodes[folder] else { return }
    entries[name] = bytes == nil ? nil : nodes.count
    nodes[folder] = .folder(entries)
    if let bytes { append(.file(bytes)) }
  }
}
