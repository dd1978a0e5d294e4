package import CRDTStore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What was asked of a file system.
package struct FileSystemLoad {
  /// The most bytes that were asked for at once: so much room was made for them.
  package var requestMax = 0
  package var calls = 0
  /// How many descriptors have not been given back.
  package var openCount = 0
}

/// A file system in which files claim to be huge, grow while they are read, or are none, and
/// which measures how much is asked of it.
///
/// On one in memory it plays all of this; on a real one, which has the rest itself, it lets
/// files grow.
package final class OddFileSystem<Base: FileSystem>: ForwardingFileSystem {
  private struct State {
    var items: [UInt64: (item: FolderItem, looks: Int, folder: String, name: String)] = [:]
    var load = FileSystemLoad()
  }

  package let base: Base
  private let callsMax: Int
  private let state: Guarded<State>

  /// Puts odd items of a folder at a path over the files of another file system, which has a
  /// file in the place of each; after so many calls every further one fails.
  package init(
    _ base: Base, _ contents: FolderContents, at root: String, callsMax: Int = 1_000_000
  ) throws(SystemError) {
    self.base = base
    self.callsMax = callsMax
    var state = State()
    for (path, item) in contents where item.isOdd {
      let names = "\(root)/\(path)".split(separator: "/")
      let (outer, name) = ("/" + names.dropLast().joined(separator: "/"), String(names.last ?? ""))
      let folder = try base.openFolder(at: outer)
      defer { base.close(folder) }
      // On a real disk what can't be opened is what it is.
      guard let file = try? base.open(name, in: folder, for: .reading) else { continue }
      state.items[try base.identity(of: file).number] = (item, 0, outer, name)
      base.close(file)
    }
    self.state = Guarded(state)
  }

  package var load: FileSystemLoad { state.withLock { $0.load } }

  private func count() throws(SystemError) {
    let calls = state.withLock {
      $0.load.calls += 1
      return $0.load.calls
    }
    if calls > callsMax { throw SystemError("too many calls", code: EIO) }
  }

  private func item(_ file: OpenFile) -> FolderItem? {
    guard !(base is DiskFileSystem), let number = try? base.identity(of: file).number else {
      return nil
    }
    return state.withLock { $0.items[number]?.item }
  }

  package func openFolder(at path: String) throws(SystemError) -> OpenFile {
    try count()
    let file = try base.openFolder(at: path)
    state.withLock { $0.load.openCount += 1 }
    return file
  }

  package func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    try count()
    if let item = item(folder), item.kind == .folder {
      throw SystemError("openat", code: use == .locking || use == .creating ? EACCES : ENOENT)
    }
    let file = try openOdd(name, in: folder, for: use)
    state.withLock { $0.load.openCount += 1 }
    return file
  }

  private func openOdd(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    guard use != .creating, !(base is DiskFileSystem),
      let file = try? base.open(name, in: folder, for: .reading)
    else { return try base.open(name, in: folder, for: use) }
    let item = item(file)
    var code: Int32?
    switch (item?.kind ?? .file, use) {
    case _ where item?.isForbidden == true: code = EACCES
    case (.file, _), (.pipe, .reading), (.pipe, .writing), (.pipe, .locking): break
    case (.folder, .folder), (.folder, .reading): return file
    case (.folder, _): code = EISDIR
    case (.link, .folder), (.pipe, _), (.socket, .folder): code = ENOTDIR
    case (.link, _): code = ELOOP
    case (.socket, _): code = ENXIO
    }
    if code == nil, use == .reading { return file }
    base.close(file)
    if let code { throw SystemError("openat", code: code) }
    return try base.open(name, in: folder, for: use)
  }

  package func close(_ file: OpenFile) {
    state.withLock { $0.load.openCount -= 1 }
    base.close(file)
  }

  package func size(of file: OpenFile) throws(SystemError) -> Int {
    try count()
    let item = item(file)
    if let item, item.kind != .file { throw SystemError("fstat", code: EINVAL) }
    let size = max(try base.size(of: file), item?.claimed ?? 0)
    look(at: file)
    return size
  }

  package func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try count()
    state.withLock {
      $0.load.requestMax = max($0.load.requestMax, bytes.count)
    }
    let item = item(file)
    switch item?.kind ?? .file {
    case .file: break
    case .folder: throw SystemError("pread", code: EISDIR)
    default: throw SystemError("pread", code: ESPIPE)
    }
    var count = try base.read(file, into: bytes, at: offset)
    if let claimed = item?.claimed, count == 0, offset < claimed {
      count = min(bytes.count, claimed - offset)
      UnsafeMutableRawBufferPointer(rebasing: bytes[..<count]).initializeMemory(
        as: UInt8.self, repeating: 0)
    }
    look(at: file)
    return count
  }

  package func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    try count()
    if let number = try? base.identity(of: file).number {
      state.withLock { $0.items[number]?.item.claimed = nil }
    }
    try base.truncate(file, to: size)
  }

  package func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    try count()
    if !(base is DiskFileSystem), let file = try? base.open(name, in: folder, for: .reading) {
      defer { base.close(file) }
      if item(file)?.kind == .folder { throw SystemError("unlinkat", code: EISDIR) }
    }
    try base.remove(name, in: folder)
  }

  package func names(in folder: OpenFile) throws(SystemError) -> [String] {
    try count()
    if item(folder)?.kind == .folder { return [] }
    return try base.names(in: folder)
  }

  /// Lets a file grow that was looked at often enough.
  private func look(at file: OpenFile) {
    guard state.withLock({ !$0.items.isEmpty }), let number = try? base.identity(of: file).number
    else { return }
    let due = state.withLock { state -> (FolderItem, String, String)? in
      guard let found = state.items[number], !found.item.growth.isEmpty else { return nil }
      state.items[number]?.looks += 1
      guard found.looks + 1 == found.item.growsAfter else { return nil }
      return (found.item, found.folder, found.name)
    }
    guard let (item, path, name) = due, let folder = try? base.openFolder(at: path) else { return }
    defer { base.close(folder) }
    guard let target = try? base.open(name, in: folder, for: .writing),
      let size = try? base.size(of: target)
    else { return }
    defer { base.close(target) }
    _ = try? item.growth.withUnsafeBytes { try base.write(target, $0, at: size) }
  }
}
