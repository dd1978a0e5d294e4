/// A folder whose files are read, made and replaced here, durably.
///
/// Calls that were interrupted are made again, and what was written or read in
/// part is gone on with; all else that fails is a ``StoreError`` with the path.
protocol FileFolder: Sendable {
  var fileSystem: any FileSystem { get }
  /// Seals what is written, and opens what is sealed; `nil` where nothing is sealed.
  var sealing: (any Sealing)? { get }

  /// The path of a file, for messages.
  func path(of name: String, in folder: OpenFile) -> String

  /// What it means that a file can't be opened, or isn't one.
  func failure(_ error: SystemError, at path: String) -> StoreError
}

extension FileFolder {
  func failure(_ error: SystemError, at path: String) -> StoreError {
    .system(error, path: path)
  }
}

extension FileFolder {
  func names(in folder: OpenFile) throws(StoreError) -> [String] {
    try attempt(path(of: "", in: folder)) { () throws(SystemError) in
      try fileSystem.names(in: folder)
    }
  }

  /// Makes the names in a folder durable.
  func synchronizeNames(in folder: OpenFile) throws(StoreError) {
    let path = path(of: "", in: folder)
    // Whether a second call would say the truth about the first isn't known, so
    // there is none.
    do throws(SystemError) { try fileSystem.synchronizeNames(in: folder) } catch {
      throw .stopped(error, path: path)
    }
  }

  func remove(_ name: String, in folder: OpenFile) throws(StoreError) {
    try attempt(path(of: name, in: folder)) { () throws(SystemError) in
      try fileSystem.remove(name, in: folder)
    }
  }

  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(StoreError) {
    try attempt(path(of: old, in: source)) { () throws(SystemError) in
      try fileSystem.rename(old, in: source, to: new, in: target)
    }
  }
}
