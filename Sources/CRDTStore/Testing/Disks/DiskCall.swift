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
