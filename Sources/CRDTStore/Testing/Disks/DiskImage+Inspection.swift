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
