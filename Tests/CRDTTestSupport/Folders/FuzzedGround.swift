import CRDTStore
import CRDTStoreTesting

/// Where a damaged folder stands: in memory, or on a disk.
struct FuzzedGround {
  let fileSystem: any FileSystem
  let load: () -> FileSystemLoad
  /// The bytes of all files by path.
  let files: () -> [String: [UInt8]]

  /// In memory: an image, in which a folder is another than it was.
  static func memory(
    _ image: DiskImage, _ original: FolderContents, _ contents: FolderContents, at root: String
  ) throws -> FuzzedGround {
    var image = image
    for path in original.keys where contents[path] == nil {
      image = image.replacing("\(root)/\(path)", with: nil)
    }
    // A folder goes before what stands in its place.
    for (path, item) in contents.sorted(by: { $0.key < $1.key }) where original[path] != item {
      image = image.replacing("\(root)/\(path)", with: item.bytes)
    }
    let disk = SimulatedFileSystem(image)
    let files = try OddFileSystem(disk, contents, at: root)
    return FuzzedGround(
      fileSystem: files, load: { files.load }, files: { disk.seenImage.files })
  }
}
