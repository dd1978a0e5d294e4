/// Files and folders that are being put together.
struct DiskTree {
  var nodes: [DiskImage.Node] = [.folder([:])]

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
        nodes.append(.folder([:]))
      }
    }
    return folder
  }

  /// Gives a name in a folder to new bytes, or to nothing.
  mutating func set(_ bytes: FileBytes?, _ name: String, in folder: Int) {
    guard case .folder(var entries) = nodes[folder] else { return }
    entries[name] = bytes == nil ? nil : nodes.count
    nodes[folder] = .folder(entries)
    if let bytes { nodes.append(.file(bytes)) }
  }
}
