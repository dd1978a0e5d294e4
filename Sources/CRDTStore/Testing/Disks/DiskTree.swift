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
