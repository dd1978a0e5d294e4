/// The system calls that a store makes on its files: one method, one call.
///
/// A store goes through this port for all it does on disk, so that tests can fail,
/// cut or reorder every single call. ``DiskFileSystem`` is the real one.
///
/// Files are named by a folder that is open and a name in it. Names are the
/// store's own, without slashes; a symbolic link in the place of a file is not
/// followed but refused. Methods may be called from any thread, do not make a call
/// again that was interrupted, and may read or write less than they were asked to:
/// the store sees to both.
public protocol FileSystem: Sendable {
  /// Opens the folder at a path, which is the user's: links in it are followed.
  func openFolder(at path: String) throws(SystemError) -> OpenFile

  /// Makes the folder at a path, for its owner only (0700).
  func makeFolder(at path: String) throws(SystemError)

  /// Opens what has a name in a folder; `folder` opens a folder, all else files.
  func open(
    _ name: String, in folder: OpenFile, for use: FileUse
  ) throws(SystemError) -> OpenFile

  /// Makes a folder in a folder, for its owner only (0700).
  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError)

  /// Gives a descriptor back; it must not be used again, nor must a copy of it.
  func close(_ file: OpenFile)

  /// How many bytes a file has.
  func size(of file: OpenFile) throws(SystemError) -> Int

  /// Which file or folder an open one is, and when it was last changed.
  ///
  /// Opening, reading, locking and closing a file leave its identity as it is. A copy has
  /// another; so has a file whose bytes were written again, once the clock of the file
  /// system has gone on.
  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity

  /// Whether users other than the owner and the group may replace files in a folder; `false`
  /// where the file system knows no users.
  func isWritableByOthers(_ folder: OpenFile) throws(SystemError) -> Bool

  /// Reads bytes from an offset on: how many, 0 at the end of the file.
  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Writes bytes from an offset on, beyond the end too: how many.
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Cuts a file to a size.
  func truncate(_ file: OpenFile, to size: Int) throws(SystemError)

  /// Waits until a file's bytes and size are where a power cut doesn't reach them.
  func synchronize(_ file: OpenFile) throws(SystemError)

  /// Waits until a folder's names are where a power cut doesn't reach them.
  func synchronizeNames(in folder: OpenFile) throws(SystemError)

  /// Gives a file another name, in the same or another folder, replacing what has it.
  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError)

  /// Removes a file's name.
  func remove(_ name: String, in folder: OpenFile) throws(SystemError)

  /// The names in a folder, without `.` and `..`, in any order.
  func names(in folder: OpenFile) throws(SystemError) -> [String]

  /// Takes the lock of a file, for as long as it is open: alone, or together with
  /// others; says whether it could, and doesn't wait.
  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool

  /// How many bytes there are free on the disk that holds a folder.
  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int
}

extension FileSystem {
  /// Says that there are no other users.
  public func isWritableByOthers(_ folder: OpenFile) throws(SystemError) -> Bool { false }
}
