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
