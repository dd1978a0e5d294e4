/// The history of a ``SimulatedFileSystem``, which determines what a crash at any call may
/// leave.
package struct CrashHistory: Sendable {
  let start: DiskImage
  let events: [(call: Int, event: DiskEvent)]
  /// The calls.
  package let calls: [CallRecord]

  /// The images that a power cut may leave, after a number of calls.
  ///
  /// The first image is that of a killed process, with all changes. No two are equal. Equal
  /// seeds give equal images.
  package func images(
    atCall call: Int, choices: CrashChoices = CrashChoices(), seed: UInt64 = 0
  ) -> [CrashImage] {
    var cursor = DiskCursor(self)
    cursor.advance(to: call)
    return cursor.images(choices, seed: seed)
  }

  /// The image that a killed process leaves, after a number of calls or all of them.
  package func seenImage(atCall call: Int? = nil) -> DiskImage {
    var tree = LiveTree(start)
    for (number, event) in events where number <= call ?? .max { tree.apply(event) }
    let nodes = (0..<tree.nodeCount).map { node -> DiskImage.Node in
      if let names = tree.names(in: node) { return .folder(names) }
      return .file(FileBytes(tree.bytes(of: node) ?? []))
    }
    return DiskImage(
      nodes: nodes, changeTimes: nodes.indices.map { tree.changeTime(of: $0) }, time: tree.time)
  }

  /// The last calls up to one, for messages.
  package func log(upTo call: Int, count: Int = 12) -> String {
    calls.prefix(call).enumerated().suffix(count)
      .map { "\($0 + 1). \($1)" }.joined(separator: "\n")
  }
}

/// The record of a call, for messages.
package struct CallRecord: Sendable, CustomStringConvertible {
  package let kind: DiskCall
  /// The name of the file or folder.
  package let name: String
  /// The number of bytes to read, write or keep.
  package let size: Int
  /// The error code; 0 for success.
  package internal(set) var code: Int32 = 0

  package var description: String {
    let sized: Set<DiskCall> = [.read, .write, .truncate]
    return "\(kind.rawValue) \(name)"
      + (sized.contains(kind) ? " \(size)" : "")
      + (code == 0 ? "" : " failed: \(errorName(code))")
  }
}

/// A method of the file system port, named after its system call.
public enum DiskCall: String, CaseIterable, Sendable {
  /// Opening the folder at a path.
  case openFolder = "open"
  /// Making the folder at a path.
  case makeFolderAtPath = "mkdir"
  /// Opening, or making, a file or folder by its name in another.
  case open = "openat"
  /// Making a folder by its name in another.
  case makeFolder = "mkdirat"
  /// Closing a descriptor.
  case close
  /// Asking for the size of a file.
  case size = "fstat"
  /// Asking for the number of a file, and when it was last changed.
  case identity = "fstat of the inode"
  /// Reading bytes.
  case read = "pread"
  /// Writing bytes.
  case write = "pwrite"
  /// Setting the size of a file.
  case truncate = "ftruncate"
  /// Making a file's bytes durable.
  case synchronize = "fdatasync"
  /// Making a folder's names durable.
  case synchronizeNames = "fsync"
  /// Renaming a file.
  case rename = "renameat"
  /// Removing a file's name.
  case remove = "unlinkat"
  /// Listing the names in a folder.
  case names = "readdir"
  /// Locking a file.
  case lock = "flock"
  /// Asking for the free space on the disk.
  case freeBytes = "fstatvfs"
}

/// A change of files or names by a call, or a change of their durability.
enum DiskEvent: Sendable {
  /// A file or folder was created, still without a name. They are numbered in order.
  case make(isFolder: Bool)
  case change(file: Int, FileChange)
  case name(NameChange)
  case synchronize(file: Int)
  case synchronizeNames(folder: Int)
  /// Synchronizing a file failed: its pending changes may never reach the disk, even if a
  /// later synchronization succeeds.
  case loseFile(Int)
  /// Synchronizing a folder's names failed, with the same effect.
  case loseNames(folder: Int)
}

extension DiskEvent {
  /// The file or folder whose change time the event sets, given the number of those created
  /// before.
  ///
  /// A new file gets its first name at once. Changes of names don't set the folder's time,
  /// because nobody reads it.
  func changedNode(of count: Int) -> Int? {
    switch self {
    case .make: count
    case .change(let file, _): file
    case .name(let change): change.source == nil ? nil : change.node
    case .synchronize, .synchronizeNames, .loseFile, .loseNames: nil
    }
  }
}
