internal import Synchronization

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

/// A file or folder that is open: what the system calls a descriptor.
///
/// Copies are the same open file, which is closed once.
public struct OpenFile: Hashable, Sendable {
  /// The number that the file system gave it.
  public let descriptor: Int32
  private let life = Life()

  /// What copies share.
  private final class Life: Sendable {
    let isOver = Atomic(false)
  }

  /// Creates the name of an open file from its number.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Notes that the file is closed now: its number may be another file's from here on.
  ///
  /// - Precondition: It wasn't closed before, nor was a copy.
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

/// What a file system says of which file an open one is.
///
/// A file keeps its number for as long as it is there, under whatever name; the number of a
/// removed file may be given to a new one. The time of the last change tells the two apart.
/// No program can set that time: the system sets it when the file is made, and at every change
/// of its bytes, size, name, number of names, owner or permissions, also where the same bytes
/// are written again.
public struct FileIdentity: Hashable, Sendable {
  /// The number of the file's inode.
  public var number: UInt64
  /// The seconds of the time of the last change, since 1970.
  public var changeSeconds: Int64
  /// The rest of that time, in nanoseconds.
  public var changeNanoseconds: Int64

  /// Creates the identity of a file from what the system says of it.
  public init(number: UInt64, changeSeconds: Int64, changeNanoseconds: Int64) {
    self.number = number
    self.changeSeconds = changeSeconds
    self.changeNanoseconds = changeNanoseconds
  }
}

/// What a file is opened for.
public enum FileUse: Hashable, Sendable {
  /// To open files in it: it is a folder.
  case folder
  /// To read a file that is there.
  case reading
  /// To read and write a file that is there.
  case writing
  /// To write a file that must not be there yet, for its owner only (0600).
  case creating
  /// To lock a file, which is made where there is none, for its owner only (0600).
  case locking
}
