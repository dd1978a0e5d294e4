#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The file system of the operating system.
public struct DiskFileSystem: FileSystem {
  /// Creates an instance.
  public init() {}

  /// Opens the folder at a path: `open`.
  public func openFolder(at path: String) throws(SystemError) -> OpenFile {
    OpenFile(
      descriptor: try check("open") { systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
  }

  /// Makes the folder at a path: `mkdir`.
  public func makeFolder(at path: String) throws(SystemError) {
    _ = try check("mkdir") { mkdir(path, 0o700) }
  }

  /// Opens a file or folder by its name in a folder: `openat`, without following links.
  public func open(
    _ name: String, in folder: OpenFile, for use: OpenFile.Use
  ) throws(SystemError) -> OpenFile {
    // Don't block on anything but a file, such as a pipe; ``size(of:)`` throws for it.
    let flags =
      switch use {
      case .folder: O_RDONLY | O_DIRECTORY
      case .reading: O_RDONLY
      case .writing: O_RDWR
      case .creating: O_RDWR | O_CREAT | O_EXCL
      case .locking: O_RDWR | O_CREAT
      }
    return OpenFile(
      descriptor: try check("openat") {
        openat(folder.descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
      })
  }

  /// Makes a folder in a folder: `mkdirat`.
  public func makeFolder(_ name: String, in folder: OpenFile) throws(SystemError) {
    _ = try check("mkdirat") { mkdirat(folder.descriptor, name, 0o700) }
  }

  /// Releases the lock and closes the descriptor: `flock`, `close`.
  ///
  /// - Precondition: Neither the file nor a copy of it was closed before.
  public func close(_ file: OpenFile) {
    file.end()
    // A forked process that has not executed its program yet shares the descriptor, and
    // would keep the lock for a moment.
    flock(file.descriptor, LOCK_UN)
    systemClose(file.descriptor)
  }

  /// The size of a file in bytes: `fstat`; throws for anything but a file.
  public func size(of file: OpenFile) throws(SystemError) -> Int {
    var facts = stat()
    _ = try check("fstat") { fstat(file.descriptor, &facts) }
    // A device or a pipe under a store's name must not look like an empty file.
    guard facts.st_mode & S_IFMT == S_IFREG else { throw SystemError("fstat", code: EINVAL) }
    return Int(facts.st_size)
  }

  /// The number of a file's inode, and the time of its last change: `fstat`.
  public func identity(of file: OpenFile) throws(SystemError) -> FileIdentity {
    var facts = stat()
    _ = try check("fstat") { fstat(file.descriptor, &facts) }
    #if canImport(Darwin)
    let time = facts.st_ctimespec
    #else
    let time = facts.st_ctim
    #endif
    return FileIdentity(
      number: UInt64(facts.st_ino), changeSeconds: Int64(time.tv_sec),
      changeNanoseconds: Int64(time.tv_nsec))
  }

  /// Whether a folder is unsafe: users other than the owner and the group may add files and
  /// rename those of others in it, or it belongs neither to the user nor to root: `fstat`.
  public func isWritableByOthers(_ folder: OpenFile) throws(SystemError) -> Bool {
    var facts = stat()
    _ = try check("fstat") { fstat(folder.descriptor, &facts) }
    return Self.isWritableByOthers(facts.st_mode, owner: facts.st_uid, user: geteuid())
  }

  /// The same check for permissions and an owner; root may read the folders of any user.
  static func isWritableByOthers(_ mode: mode_t, owner: uid_t, user: uid_t) -> Bool {
    mode & (S_IWOTH | S_ISVTX) == S_IWOTH || owner != user && owner != 0 && user != 0
  }

  /// Reads bytes at an offset: `pread`.
  public func read(
    _ file: OpenFile, into bytes: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try check("pread") { pread(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// Writes bytes at an offset: `pwrite`.
  public func write(
    _ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(SystemError) -> Int {
    try check("pwrite") { pwrite(file.descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
  }

  /// Cuts a file to a size: `ftruncate`.
  public func truncate(_ file: OpenFile, to size: Int) throws(SystemError) {
    _ = try check("ftruncate") { ftruncate(file.descriptor, off_t(size)) }
  }

  /// Makes a file durable: `fdatasync`; on Darwin `F_FULLFSYNC`.
  public func synchronize(_ file: OpenFile) throws(SystemError) {
    #if canImport(Darwin)
    // On Darwin `fsync` leaves the bytes in the drive's cache; this call does not.
    _ = try check("fcntl") { fcntl(file.descriptor, F_FULLFSYNC) }
    #else
    _ = try check("fdatasync") { fdatasync(file.descriptor) }
    #endif
  }

  /// Makes a folder's names durable: `fsync`.
  public func synchronizeNames(in folder: OpenFile) throws(SystemError) {
    _ = try check("fsync") { fsync(folder.descriptor) }
  }

  /// Gives a file another name: `renameat`.
  public func rename(
    _ old: String, in source: OpenFile, to new: String, in target: OpenFile
  ) throws(SystemError) {
    _ = try check("renameat") { renameat(source.descriptor, old, target.descriptor, new) }
  }

  /// Removes a file's name: `unlinkat`.
  public func remove(_ name: String, in folder: OpenFile) throws(SystemError) {
    _ = try check("unlinkat") { unlinkat(folder.descriptor, name, 0) }
  }

  /// The names in a folder: `readdir`.
  public func names(in folder: OpenFile) throws(SystemError) -> [String] {
    // The stream takes ownership of its descriptor, and duplicates share a read position.
    // So it gets a newly opened one.
    let own = try check("openat") {
      openat(folder.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard let stream = fdopendir(own) else {
      let code = errno
      systemClose(own)
      throw SystemError("fdopendir", code: code)
    }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        if errno != 0 { throw SystemError("readdir", code: errno) }
        return names
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        let size = MemoryLayout.size(ofValue: field.pointee)
        return field.withMemoryRebound(to: CChar.self, capacity: size) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Takes the lock of a file: `flock`, without waiting.
  public func lock(_ file: OpenFile, exclusively: Bool) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try check("flock") { flock(file.descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB) }
      return true
    } catch {
      guard error.code == EWOULDBLOCK else { throw error }
      return false
    }
  }

  /// The number of free bytes: `fstatvfs`.
  public func freeBytes(in folder: OpenFile) throws(SystemError) -> Int {
    var facts = statvfs()
    _ = try check("fstatvfs") { fstatvfs(folder.descriptor, &facts) }
    let (bytes, isBeyond) = UInt64(facts.f_bavail).multipliedReportingOverflow(
      by: UInt64(facts.f_frsize))
    return isBeyond ? .max : Int(clamping: bytes)
  }

  private func check<Result: FixedWidthInteger>(
    _ name: String, _ call: () -> Result
  ) throws(SystemError) -> Result {
    let result = call()
    guard result != -1 else { throw SystemError(name, code: errno) }
    return result
  }
}

// Inside the methods above, these names would refer to the methods themselves.
private func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
  open(path, flags)
}

private func systemClose(_ descriptor: Int32) {
  close(descriptor)
}
