public import CRDTStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension SimulatedFileSystem: FileSystem {
  /// Opens the folder at a path; there are no links.
  public func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try call(.openFolder, path) { (state, _) throws(SystemError) in
      let found = state.tree.node(at: DiskImage.names(in: path))
      guard let node = found.node else {
        throw SystemError("open", code: found.isThroughFile ? ENOTDIR : ENOENT)
      }
      guard state.tree.names(in: node) != nil else { throw SystemError("open", code: ENOTDIR) }
      return state.opened(node, path)
    }
  }

  /// Makes the folder at a path.
  public func makeFolder(at path: String) throws(SystemError) {
    try call(.makeFolderAtPath, path) { (state, _) throws(SystemError) in
      let names = DiskImage.names(in: path)
      guard let name = names.last else { throw SystemError("mkdir", code: EEXIST) }
      let found = state.tree.node(at: names.dropLast())
      guard let parent = found.node else {
        throw SystemError("mkdir", code: found.isThroughFile ? ENOTDIR : ENOENT)
      }
      guard let entries = state.tree.names(in: parent) else {
        throw SystemError("mkdir", code: ENOTDIR)
      }
      guard entries[name] == nil else { throw SystemError("mkdir", code: EEXIST) }
      try state.checkChange(.makeFolderAtPath, name)
      _ = state.make(name, in: parent, isFolder: true)
    }
  }

  /// Opens a file or folder by its name in another.
  public func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    try call(.open, name) { (state, _) throws(SystemError) in
      try state.open(name, in: folder, for: use)
    }
  }

  /// Makes a folder in another.
  public func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    try call(.makeFolder, name) { (state, _) throws(SystemError) in
      let (parent, entries) = try state.folder(folder, .makeFolder)
      guard entries[name] == nil else { throw SystemError("mkdirat", code: EEXIST) }
      try state.checkChange(.makeFolder, name)
      _ = state.make(name, in: parent, isFolder: true)
    }
  }

  /// Closes a descriptor.
  public func close(_ file: OpenFile) {
    // Closing reports no errors: they show as a misuse, or not at all.
    try? call(.close, file) { (state, _) throws(SystemError) in
      _ = try state.handle(file, .close)
      state.handles[file.descriptor] = nil
    }
  }

  /// The size of a file.
  public func size(of file: OpenFile) throws(SystemError) -> Int {
    try call(.size, file) { (state, _) throws(SystemError) in
      try state.file(file, .size, folderCode: EINVAL).bytes.count
    }
  }

  /// The number of a file or folder, and its change time; the disk's clock counts changes.
  public func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    try call(.identity, file) { (state, _) throws(SystemError) in
      let node = try state.handle(file, .identity).node
      return FileIdentity(
        number: UInt64(node) + 1, changeSeconds: Int64(clamping: state.tree.changeTime(of: node)),
        changeNanoseconds: 0)
    }
  }

  /// Reads bytes at an offset; fewer if a fault says so.
  public func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try call(.read, file, size: bytes.count) { (state, countMax) throws(SystemError) in
      let content = try state.file(file, .read).bytes
      guard offset >= 0 else { throw SystemError("pread", code: EINVAL) }
      let count = min(countMax, max(0, content.count - offset))
      if count > 0 {
        content.withUnsafeBytes {
          bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
        }
      }
      return count
    }
  }

  /// Writes bytes at an offset; fewer if there is no room or a fault says so.
  public func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try call(.write, file, size: bytes.count) { (state, countMax) throws(SystemError) in
      try state.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(countMax)), at: offset)
    }
  }

  /// Sets the size of a file.
  public func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    try call(.truncate, file, size: size) { (state, _) throws(SystemError) in
      let (node, bytes) = try state.file(file, .truncate, forWriting: true)
      guard size >= 0 else { throw SystemError("ftruncate", code: EINVAL) }
      try state.checkChange(.truncate)
      if size > bytes.count, size - bytes.count > state.roomCount {
        throw SystemError("ftruncate", code: ENOSPC)
      }
      state.apply(.change(file: node, .truncate(size: size)))
    }
  }

  /// Makes the bytes of a file durable, unless ``ignoresSynchronization`` is set.
  public func synchronize(_ file: OpenFile) throws(SystemError) {
    try call(.synchronize, file) { (state, _) throws(SystemError) in
      let node = try state.file(file, .synchronize, folderCode: EINVAL).node
      if !state.ignoresSynchronization { state.apply(.synchronize(file: node)) }
    }
  }

  /// Makes the names in a folder durable, unless ``ignoresSynchronization`` is set.
  public func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    try call(.synchronizeNames, folder) { (state, _) throws(SystemError) in
      let node = try state.folder(folder, .synchronizeNames).node
      if !state.ignoresSynchronization { state.apply(.synchronizeNames(folder: node)) }
    }
  }

  /// Renames a file; a folder can't move to another folder.
  public func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    try call(.rename, "\(old) to \(new)") { (state, _) throws(SystemError) in
      try state.rename(old, in: source, to: new, in: target)
    }
  }

  /// Removes the name of a file.
  public func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    try call(.remove, name) { (state, _) throws(SystemError) in
      try state.remove(name, in: folder)
    }
  }

  /// The names in a folder, in descending order.
  public func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try call(.names, folder) { (state, _) throws(SystemError) in
      // In reverse, so that nobody relies on an order.
      try state.folder(folder, .names).names.keys.sorted(by: >)
    }
  }

  /// Locks a file.
  ///
  /// Returns whether the lock was available.
  public func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    try call(.lock, file) { (state, _) throws(SystemError) in
      let own = try state.handle(file, .lock)
      let isTaken = state.handles.contains { descriptor, other in
        descriptor != file.descriptor && other.node == own.node
          && (other.isExclusive == true || (exclusively && other.isExclusive != nil))
      }
      // To change its kind, a lock is released first, and is lost if the other kind is not
      // available.
      if own.isExclusive != exclusively {
        state.handles[file.descriptor]?.isExclusive = isTaken ? nil : exclusively
      }
      return !isTaken
    }
  }

  /// How many bytes are free.
  public func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    try call(.freeBytes, folder) { (state, _) throws(SystemError) in
      _ = try state.handle(folder, .freeBytes)
      return state.freeBytes ?? state.roomCount
    }
  }
}
