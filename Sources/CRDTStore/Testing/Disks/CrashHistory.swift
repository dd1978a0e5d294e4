/// What happened to a ``SimulatedFileSystem``, from which follows what a crash at
/// any call may have left.
package struct CrashHistory: Sendable {
  let start: DiskImage
  let events: [(call: Int, event: DiskEvent)]
  /// The calls that were made.
  package let calls: [CallRecord]

  /// The images that a power cut may leave, after a number of calls.
  ///
  /// The first is what a killed process leaves: everything. No two are equal. The
  /// same seed gives the same images.
  package func images(
    atCall call: Int, choices: CrashChoices = CrashChoices(), seed: UInt64 = 0
  ) -> [CrashImage] {
    var cursor = DiskCursor(self)
    cursor.advance(to: call)
    return cursor.images(choices, seed: seed)
  }

  /// What a process that is killed leaves, after a number of calls or all of them.
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

/// A call that was made, for messages.
package struct CallRecord: Sendable, CustomStringConvertible {
  package let kind: DiskCall
  /// The name of the file or folder that it was about.
  package let name: String
  /// How many bytes it was to read, write or keep.
  package let size: Int
  /// What went wrong; 0 if nothing did.
  package internal(set) var code: Int32 = 0

  package var description: String {
    let sized: Set<DiskCall> = [.read, .write, .truncate]
    return "\(kind.rawValue) \(name)"
      + (sized.contains(kind) ? " \(size)" : "")
      + (code == 0 ? "" : " failed: \(errorName(code))")
  }
}

/// A method of the file system's port, by the name of the call that it stands for.
public enum DiskCall: String, CaseIterable, Sendable {
  /// Opening the folder at a path.
  case openFolder = "open"
  /// Making the folder at a path.
  case makeFolderAtPath = "mkdir"
  /// Opening, or making, a file or folder by its name in another.
  case open = "openat"
  /// Making a folder by its name in another.
  case makeFolder = "mkdirat"
  /// Giving a descriptor back.
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
  /// Making a file's bytes safe.
  case synchronize = "fdatasync"
  /// Making a folder's names safe.
  case synchronizeNames = "fsync"
  /// Giving a file another name.
  case rename = "renameat"
  /// Taking a file's name away.
  case remove = "unlinkat"
  /// Listing the names in a folder.
  case names = "readdir"
  /// Locking a file.
  case lock = "flock"
  /// Asking for the room on the disk.
  case freeBytes = "fstatvfs"
}

/// A change that a call made to files or names, or a promise that it made them keep.
enum DiskEvent: Sendable {
  /// A file or folder was made, at first without a name; they are numbered in order.
  case make(isFolder: Bool)
  case change(file: Int, FileChange)
  case name(NameChange)
  case synchronize(file: Int)
  case synchronizeNames(folder: Int)
  /// Synchronizing a file failed: what was not on disk may never get there, even if
  /// synchronizing succeeds later.
  case loseFile(Int)
  /// The same of a folder's names.
  case loseNames(folder: Int)
}

extension DiskEvent {
  /// The file or folder whose time of change the event sets, where so many were made before.
  ///
  /// A new one gets its first name at once. The times of folders in which names change are
  /// left alone: nobody asks for them.
  func changedNode(of count: Int) -> Int? {
    switch self {
    case .make: count
    case .change(let file, _): file
    case .name(let change): change.source == nil ? nil : change.node
    case .synchronize, .synchronizeNames, .loseFile, .loseNames: nil
    }
  }
}
