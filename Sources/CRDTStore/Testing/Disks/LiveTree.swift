/// The files and folders that processes see, durable or not.
///
/// It stores only the changes to its initial image, so that creating a file system from an
/// image is fast.
struct LiveTree {
  let start: DiskImage
  private var changedBytes: [Int: [UInt8]] = [:]
  private var changedNames: [Int: [String: Int]] = [:]
  private(set) var nodeCount: Int
  private var changeTimes: [Int: UInt64] = [:]
  /// The clock: the number of events on this disk and on that of the image.
  private(set) var time: UInt64

  init(_ start: DiskImage) {
    self.start = start
    nodeCount = start.nodes.count
    time = start.time
  }

  /// The names in a folder; `nil` if the node is a file.
  func names(in node: Int) -> [String: Int]? {
    if let names = changedNames[node] { return names }
    guard node < start.nodes.count, case .folder(let names) = start.nodes[node] else { return nil }
    return names
  }

  /// The bytes of a file; `nil` if the node is a folder.
  func bytes(of node: Int) -> [UInt8]? {
    if let bytes = changedBytes[node] { return bytes }
    guard node < start.nodes.count, case .file(let file) = start.nodes[node] else { return nil }
    return file.bytes
  }

  /// When a file or folder was last changed: its bytes, size or name.
  func changeTime(of node: Int) -> UInt64 {
    changeTimes[node] ?? (node < start.changeTimes.count ? start.changeTimes[node] : 0)
  }

  /// The node at a path from the root.
  func node(at names: [String]) -> (node: Int?, isThroughFile: Bool) {
    var node = 0
    for name in names {
      guard let entries = self.names(in: node) else { return (nil, true) }
      guard let child = entries[name] else { return (nil, false) }
      node = child
    }
    return (node, false)
  }

  /// The number of bytes in files that have a name or are open.
  func usedCount(open: some Sequence<Int>) -> Int {
    var nodes = Set(open)
    var folders = [0]
    while let folder = folders.popLast() {
      for child in (names(in: folder) ?? [:]).values {
        if names(in: child) != nil { folders.append(child) } else { nodes.insert(child) }
      }
    }
    return nodes.reduce(0) { $0 + (bytes(of: $1)?.count ?? 0) }
  }

  /// Applies an event.
  mutating func apply(_ event: DiskEvent) {
    time += 1
    if let node = event.changedNode(of: nodeCount) { changeTimes[node] = time }
    switch event {
    case .make(let isFolder):
      if isFolder { changedNames[nodeCount] = [:] } else { changedBytes[nodeCount] = [] }
      nodeCount += 1
    case .change(let file, let change): apply(change, to: file)
    case .name(let change):
      if let source = change.source { rename(nil, source) }
      if let target = change.target { rename(change.node, target) }
    case .synchronize, .synchronizeNames, .loseFile, .loseNames: break
    }
  }

  /// Assigns a name to a node, or removes it.
  private mutating func rename(_ node: Int?, _ place: NameChange.Place) {
    var names = names(in: place.folder) ?? [:]
    names[place.name] = node
    changedNames[place.folder] = names
  }

  private mutating func apply(_ change: FileChange, to file: Int) {
    // Remove the value, so that the bytes are changed in place.
    var content = changedBytes.removeValue(forKey: file) ?? bytes(of: file) ?? []
    switch change {
    case .write(let offset, let bytes):
      if offset + bytes.count > content.count {
        content = content.resized(to: offset + bytes.count)
      }
      bytes.withUnsafeBytes { content.overwrite($0, at: offset) }
    case .truncate(let size): content = content.resized(to: size)
    }
    changedBytes[file] = content
  }
}
