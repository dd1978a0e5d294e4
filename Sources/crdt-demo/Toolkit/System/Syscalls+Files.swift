#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
@preconcurrency import Musl
#elseif canImport(Glibc)
@preconcurrency import Glibc
#endif

extension Syscalls {
  /// The metadata of a file that is not opened.
  package struct FileFacts {
    package var isRegular: Bool
    /// Who may do what with it, as `chmod` takes it.
    package var permissions: UInt32
  }

  /// The metadata of a file; `nil` if it does not exist.
  package static func facts(of path: String) throws(Failure) -> FileFacts? {
    var facts = stat()
    if stat(path, &facts) == 0 {
      return FileFacts(
        isRegular: facts.st_mode & S_IFMT == S_IFREG, permissions: UInt32(facts.st_mode & 0o7777))
    }
    guard errno == ENOENT else { throw Failure(call: "stat", code: errno) }
    return nil
  }

  /// The path of a file without links, `.` and `..`; `nil` if there is no such file.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Makes a file that wasn't there: for its owner only, or for whom the system's usual
  /// permissions let read it.
  package static func create(_ path: String, isUsual: Bool = false) throws(Failure) -> Int32 {
    try retrying("open") {
      open(
        path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, isUsual ? 0o666 : 0o600)
    }
  }

  /// Makes a file, or empties the one there is; whoever may read it is up to the
  /// system's usual permissions.
  package static func openEmpty(_ path: String) throws(Failure) -> Int32 {
    try retrying("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
  }

  package static func setPermissions(_ permissions: UInt32, of descriptor: Int32) throws(Failure) {
    _ = try retrying("fchmod") { fchmod(descriptor, mode_t(truncatingIfNeeded: permissions)) }
  }

  /// Makes written bytes durable after a power cut.
  package static func synchronize(_ descriptor: Int32) throws(Failure) {
    _ = try retrying("fsync") { fsync(descriptor) }
  }

  package static func rename(_ old: String, to new: String) throws(Failure) {
    #if canImport(Darwin)
    let call = Darwin.rename
    #elseif canImport(Musl)
    let call = Musl.rename
    #else
    let call = Glibc.rename
    #endif
    _ = try retrying("rename") { call(old, new) }
  }

  /// Creates a folder for its owner only.
  ///
  /// Returns whether it is new.
  package static func makeFolder(_ path: String) throws(Failure) -> Bool {
    do throws(Failure) {
      _ = try retrying("mkdir") { mkdir(path, 0o700) }
      return true
    } catch {
      guard error.code == EEXIST else { throw error }
      return false
    }
  }

  /// Whether a folder is empty.
  package static func isEmptyFolder(_ path: String) throws(Failure) -> Bool {
    guard let folder = opendir(path) else { throw Failure(call: "opendir", code: errno) }
    defer { closedir(folder) }
    // Itself and the folder around it are always there.
    for _ in 0..<2 where readdir(folder) == nil { return true }
    return readdir(folder) == nil
  }

  /// Removes a file, if it exists.
  package static func remove(_ path: String) {
    unlink(path)
  }
}
