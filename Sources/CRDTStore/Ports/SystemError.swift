#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A system call that failed, and why.
public struct SystemError: Error, Hashable, Sendable {
  /// The name of the call.
  public var call: String
  /// The number that the system gives the error: `errno`.
  public var code: Int32

  /// Creates the error of a call.
  public init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  /// What the system calls the error.
  public var reason: String {
    var text = [CChar](repeating: 0, count: 256)
    _ = strerror_r(code, &text, text.count)
    return text.withUnsafeBufferPointer { text in
      text.baseAddress.map { String(cString: $0) } ?? "error \(code)"
    }
  }

  /// The call and what went wrong.
  public var description: String { "\(call): \(reason)" }
}

extension SystemError {
  /// The number of an error of the device.
  static var inputOutput: Int32 { EIO }
  /// Whether there is nothing of the name.
  var isMissing: Bool { code == ENOENT }
  /// Whether there is something of the name.
  var isAlreadyThere: Bool { code == EEXIST }
  /// Whether there is something of the name that isn't what was asked for.
  var isOtherKind: Bool { code == ENOTDIR || code == ELOOP }
  /// Whether what was opened, or was to be, is no file: a link, a socket, a folder, or
  /// what has no size.
  var isNoFile: Bool {
    code == ELOOP || code == ENXIO || code == EISDIR || call == "fstat" && code == EINVAL
  }
  /// Whether a file was to be removed and is a folder: Darwin says that it isn't allowed.
  var isFolder: Bool { code == EISDIR || code == EPERM }
  /// Whether the call was interrupted and is to be made again.
  var isInterruption: Bool { code == EINTR }
  /// Whether it is not allowed to write there.
  var forbidsWriting: Bool { code == EROFS || code == EACCES || code == EPERM }
  /// Whether a file was to be read that the system gives to others only.
  var forbidsReading: Bool { call == "openat" && (code == EACCES || code == EPERM) }
  /// Whether the disk, or what may be used of it, is full.
  var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }
}
