/// A method of the file system's port, by the name of the call that it stands for.
package enum CallKind: String, CaseIterable, Sendable {
  case openFolder = "open"
  case makeFolderAtPath = "mkdir"
  case open = "openat"
  case makeFolder = "mkdirat"
  case close
  case size = "fstat"
  case identity = "fstat of the inode"
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
