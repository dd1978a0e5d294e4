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
