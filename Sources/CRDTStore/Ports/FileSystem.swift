internal import Synchronization

/// The system calls that a store makes on its files, one method per call.
///
/// A store uses this port for all disk access, so that tests can fail, shorten or reorder
/// each call. ``DiskFileSystem`` is the real one.
///
/// A file is identified by an open folder and a name in it. Names are the store's own,
/// without slashes. A symbolic link in the place of a file is not followed but rejected.
/// Methods may be called from any thread. They don't repeat an interrupted call, and may
/// read or write less than requested: the store handles both.
public protocol FileSystem: Sendable {
  /// Opens the folder at a path from the user; links in the path are followed.
  func openFolder(at path: String) throws(SystemError) -> OpenFile

  /// Makes the folder at a path, for its owner only (0700).
  func makeFolder(at path: String) throws(SystemError)

  /// Opens a file or folder by its name in a folder; only the use `folder` opens a folder.
  func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile

  /// Makes a folder in a folder, for its owner only (0700).
  func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError)

  /// Closes a descriptor. Neither it nor a copy of it must be used again.
  func close(_ file: OpenFile)

  /// The size of a file in bytes.
  func size(of file: OpenFile) throws(SystemError) -> Int

  /// The identity of an open file or folder, and the time of its last change.
  ///
  /// Opening, reading, locking and closing a file don't change its identity. A copy has
  /// another identity. Rewriting a file's bytes changes its identity once the clock of the
  /// file system has advanced.
  func identity(of file: OpenFile) throws(SystemError) -> FileIdentity

  /// Whether users other than the owner and the group may replace files in a folder;
  /// `false` if the file system has no users.
  func isWritableByOthers(_ folder: OpenFile) throws(SystemError) -> Bool

  /// Reads bytes at an offset, and returns their number, which is 0 at the end of the file.
  func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Writes bytes at an offset, which may be beyond the end, and returns their number.
  func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int

  /// Cuts a file to a size.
  func truncate(_ file: OpenFile, to size: Int) throws(SystemError)

  /// Waits until a file's bytes and size are durable after a power cut.
  func synchronize(_ file: OpenFile) throws(SystemError)

  /// Waits until a folder's names are durable after a power cut.
  func synchronizeNames(in folder: OpenFile) throws(SystemError)

  /// Renames a file within its folder or to another one, and replaces a file of the new
  /// name.
  func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError)

  /// Removes a file's name.
  func remove(_ name: String, in folder: OpenFile) throws(SystemError)

  /// The names in a folder, without `.` and `..`, in any order.
  func names(in folder: OpenFile) throws(SystemError) -> [String]

  /// Locks a file while it is open, exclusively or shared. Returns whether it could,
  /// without waiting.
  func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool

  /// The number of free bytes on the disk that holds a folder.
  func freeBytes(in folder: OpenFile) throws(SystemError) -> Int
}

extension FileSystem {
  /// Returns `false`: there are no other users.
  public func isWritableByOthers(_ folder: OpenFile) throws(SystemError) -> Bool { false }
}

/// An open file or folder: a file descriptor.
///
/// Copies are the same open file, which you close once.
public struct OpenFile: Hashable, Sendable {
  /// The number that the file system gave it.
  public let descriptor: Int32
  private let life = Life()

  /// The state that copies share.
  private final class Life: Sendable {
    let isOver = Atomic(false)
  }

  /// Creates an open file from its descriptor.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Records that the file is closed.
  ///
  /// Its number may belong to another file from here on.
  ///
  /// - Precondition: Neither it nor a copy was closed before.
  func end() {
    precondition(
      !life.isOver.exchange(true, ordering: .relaxed), "file \(descriptor) was closed before")
  }

  /// Whether two have the same number.
  public static func == (left: OpenFile, right: OpenFile) -> Bool {
    left.descriptor == right.descriptor
  }

  /// Hashes the number.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(descriptor)
  }
}

/// The identity of a file in its file system.
///
/// A file keeps its number while it exists, under any name. A new file may get the number
/// of a removed one; the time of the last change distinguishes them. No program can set
/// that time. The system sets it when the file is created, and at every change of its
/// bytes, size, name, number of names, owner or permissions, even if the same bytes are
/// written again.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the file's inode.
  public var number: UInt64
  /// The seconds of the time of the last change, since 1970.
  public var changeSeconds: Int64
  /// The rest of that time, in nanoseconds.
  public var changeNanoseconds: Int64

  /// Creates an identity from the system's values.
  public init(number: UInt64, changeSeconds: Int64, changeNanoseconds: Int64) {
    self.number = number
    self.changeSeconds = changeSeconds
    self.changeNanoseconds = changeNanoseconds
  }
}

extension OpenFile {
  /// The use that a file is opened for.
  public enum Use: Hashable, Sendable {
    /// Opens a folder, to use the files in it.
    case folder
    /// Reads an existing file.
    case reading
    /// Reads and writes an existing file.
    case writing
    /// Writes a new file, which must not exist yet, for its owner only (0600).
    case creating
    /// Locks a file, which is created if it does not exist, for its owner only (0600).
    case locking
  }
}
