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
