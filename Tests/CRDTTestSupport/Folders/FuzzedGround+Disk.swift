import CRDTStore
import CRDTStoreTesting

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension FuzzedGround {
  /// On a disk: a folder that is made anew at a path, with what else an image has beside it.
  static func disk(
    _ image: DiskImage, _ contents: FolderContents, _ root: String, at path: String
  ) throws -> FuzzedGround {
    try removeAll(path)
    try check("mkdir", mkdir(path, 0o700))
    for (name, bytes) in image.files.sorted(by: { $0.key < $1.key })
    where !name.hasPrefix(root + "/") { try put(FolderItem(bytes), at: path + name) }
    try makeFolders(to: "\(path)\(root)/")
    for folder in image.emptyFolders where folder.hasPrefix(root + "/") {
      try makeFolders(to: "\(path)\(folder)/")
    }
    for (name, item) in contents.sorted(by: { $0.key < $1.key }) {
      try put(item, at: "\(path)\(root)/\(name)")
    }
    let files = try OddFileSystem(DiskFileSystem(), contents, at: "\(path)\(root)")
    return FuzzedGround(
      fileSystem: files, load: { files.load },
      files: {
        var found: [String: [UInt8]] = [:]
        gather(path, &found)
        return found
      })
  }

  private static func check(_ call: String, _ result: Int32) throws {
    if result == -1 { throw SystemError(call, code: errno) }
  }

  private static func makeFolders(to path: String) throws {
    for (index, character) in path.enumerated() where character == "/" && index > 0 {
      let folder = String(path.prefix(index))
      if mkdir(folder, 0o700) == -1, errno != EEXIST { throw SystemError("mkdir", code: errno) }
    }
  }

  private static func put(_ item: FolderItem, at path: String) throws {
    try makeFolders(to: path)
    switch item.kind {
    case .file: try putFile(item, at: path)
    case .folder: if mkdir(path, 0o700) == -1 { try check("mkdir", errno == EEXIST ? 0 : -1) }
    case .pipe: try check("mkfifo", mkfifo(path, 0o600))
    case .link: try check("symlink", symlink("/dev/zero", path))
    case .socket: try check("mknod", mknod(path, S_IFSOCK | 0o600, 0))
    }
  }

  private static func putFile(_ item: FolderItem, at path: String) throws {
    let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    try check("open", file)
    defer { close(file) }
    guard write(file, item.bytes, item.bytes.count) == item.bytes.count else {
      throw SystemError("write", code: errno)
    }
    // No disk has room for all of them, but most for a size.
    if let claimed = item.claimed { ftruncate(file, off_t(min(claimed, 400 << 30))) }
    if item.isForbidden { fchmod(file, 0) }
    if let time = item.time {
      let times = [timespec(tv_sec: time, tv_nsec: 0), timespec(tv_sec: time, tv_nsec: 0)]
      futimens(file, times)
    }
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        let size = MemoryLayout.size(ofValue: field.pointee)
        return field.withMemoryRebound(to: CChar.self, capacity: size) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func facts(of path: String) -> stat? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts : nil
  }

  /// The bytes of all files that aren't huge, by the path in the folder that was made.
  private static func gather(_ top: String, _ found: inout [String: [UInt8]]) {
    var folders = [""]
    while let folder = folders.popLast() {
      for name in names(in: top + folder) {
        let path = "\(folder)/\(name)"
        guard let facts = facts(of: top + path) else { continue }
        if facts.st_mode & S_IFMT == S_IFDIR { folders.append(path) }
        guard facts.st_mode & S_IFMT == S_IFREG, facts.st_size < 1 << 20 else { continue }
        let file = open(top + path, O_RDONLY)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        let count = pread(file, &bytes, bytes.count, 0)
        found[top + path] = Array(bytes.prefix(max(0, count)))
      }
    }
  }

  /// Removes a folder and all that is in it, if it is there.
  static func removeAll(_ path: String) throws {
    guard let facts = facts(of: path) else { return }
    guard facts.st_mode & S_IFMT == S_IFDIR else { return try check("unlink", unlink(path)) }
    for name in names(in: path) { try removeAll("\(path)/\(name)") }
    try check("rmdir", rmdir(path))
  }
}
