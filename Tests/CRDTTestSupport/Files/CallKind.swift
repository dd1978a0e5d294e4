/// A method of the file system's port, by the name of the call that it stands for.
package enum CallKind: String, CaseIterable, Sendable {
  case openFolder = "open"
  case makeFolderAtPath = "mkdir"
  case open = "openat"
  case makeFolder = "mkdirat"
  case close
  case size = "fstat"
  case read = "pread"
  case write = "pwrite"
  case truncate = "ftruncate"
  case synchronize = "fdatasync"
  case synchronizeNames = "fsync"
  case rename = "renameat"
  case remove = "unlinkat"
  case names = "readdir"
  case lock = "flock"
  case freeBytes = "fstatvfs"
}

/// A call that was made, for messages.
package struct CallRecord: Sendable, CustomStringConvertible {
  package let kind: CallKind
  /// The name of the file or folder that it was about.
  package let name: String
  /// How many bytes it was to read, write or keep.
  package let size: Int
  /// What went wrong; 0 if nothing did.
  package internal(set) var code: Int32 = 0

  package var description: String {
    let sized: Set<CallKind> = [.read, .write, .truncate]
    return "\(kind.rawValue) \(name)"
      + (sized.contains(kind) ? " \(size)" : "")
      + (code == 0 ? "" : " failed: \(errorName(code))")
  }
}
