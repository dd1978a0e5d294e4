import CRDTStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension SimulatedState {
  /// Opens a file or folder by its name.
  mutating func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    let (parent, entries) = try self.folder(folder, .open)
    try checkName(.open, name)
    guard let node = entries[name] else {
      guard use == .creating || use == .locking else { throw SystemError("openat", code: ENOENT) }
      try checkChange(.open, name)
      return opened(make(name, in: parent, isFolder: false), name, canWrite: true)
    }
    let isFolder = tree.names(in: node) != nil
    switch use {
    case .creating: throw SystemError("openat", code: EEXIST)
    case .folder where !isFolder: throw SystemError("openat", code: ENOTDIR)
    case .folder, .reading: return opened(node, name)
    case .writing, .locking:
      if isFolder { throw SystemError("openat", code: EISDIR) }
      try checkChange(.open, name)
      return opened(node, name, canWrite: true)
    }
  }

  /// Writes as many of the bytes as there is room for.
  mutating func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    let (node, content) = try self.file(file, .write, forWriting: true)
    try checkChange(.write)
    guard offset >= 0, bytes.count < .max - offset else {
      throw SystemError("pwrite", code: EINVAL)
    }
    var count = bytes.count
    let growth = offset + count - content.count
    let room = growth > 0 ? roomCount : .max
    if growth > room {
      count = content.count + room - offset
      guard count > 0 else { throw SystemError("pwrite", code: ENOSPC) }
    }
    if count == 0 { return 0 }
    let written = [UInt8](copying: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
    apply(.change(file: node, .write(offset: offset, bytes: written)))
    return count
  }

  /// Renames a file, or a folder within its parent.
  mutating func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    let (sourceNode, sourceNames) = try folder(source, .rename)
    let (targetNode, targetNames) = try folder(target, .rename)
    try checkChange(.rename, old)
    try checkName(.rename, new)
    guard let node = sourceNames[old] else { throw SystemError("renameat", code: ENOENT) }
    let isFolder = tree.names(in: node) != nil
    // A moved folder could end up inside itself; no store needs that.
    if isFolder, sourceNode != targetNode { throw SystemError("renameat", code: EXDEV) }
    if let replaced = targetNames[new] {
      if replaced == node { return }
      switch (isFolder, tree.names(in: replaced)) {
      case (true, nil): throw SystemError("renameat", code: ENOTDIR)
      case (false, .some): throw SystemError("renameat", code: EISDIR)
      case (true, .some(let names)) where !names.isEmpty:
        throw SystemError("renameat", code: ENOTEMPTY)
      default: break
      }
    }
    let from = NameChange.Place(folder: sourceNode, name: old)
    let to = NameChange.Place(folder: targetNode, name: new)
    apply(.name(NameChange(node: node, source: from, target: to)))
  }

  /// Removes a file's name.
  mutating func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    let (parent, entries) = try self.folder(folder, .remove)
    try checkChange(.remove, name)
    guard let node = entries[name] else { throw SystemError("unlinkat", code: ENOENT) }
    guard tree.names(in: node) == nil else { throw SystemError("unlinkat", code: EISDIR) }
    let place = NameChange.Place(folder: parent, name: name)
    apply(.name(NameChange(node: node, source: place, target: nil)))
  }
}
