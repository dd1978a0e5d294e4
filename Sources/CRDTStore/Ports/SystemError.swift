#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// The error of a system call.
public struct SystemError: Error, Hashable, Sendable {
  /// The name of the call.
  public var call: String
  /// The error code of the system: `errno`.
  public var code: Int32

  /// Creates the error of a call.
  public init(_ call: String, code: Int32) {
    self.call = call
    self.code = code
  }
}

extension SystemError: CustomStringConvertible {
  /// The system's description of the error.
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
  /// The code of an input or output error.
  static var inputOutput: Int32 { EIO }
  /// Whether nothing has the name.
  var isMissing: Bool { code == ENOENT }
  /// Whether something already has the name.
  var isAlreadyThere: Bool { code == EEXIST }
  /// Whether something of another kind has the name.
  var isOtherKind: Bool { code == ENOTDIR || code == ELOOP }
  /// Whether the opened object, or the one to open, is not a file: a link, a socket, a
  /// folder, or an object without size.
  var isNoFile: Bool {
    code == ELOOP || code == ENXIO || code == EISDIR || call == "fstat" && code == EINVAL
  }
  /// Whether the file to remove is a folder; Darwin reports that as not permitted.
  var isFolder: Bool { code == EISDIR || code == EPERM }
  /// Whether the call was interrupted and must be repeated.
  var isInterruption: Bool { code == EINTR }
  /// Whether writing is not permitted.
  var forbidsWriting: Bool { code == EROFS || code == EACCES || code == EPERM }
  /// Whether reading the file is not permitted.
  var forbidsReading: Bool { call == "openat" && (code == EACCES || code == EPERM) }
  /// Whether the disk or the quota is full.
  var isOutOfSpace: Bool { code == ENOSPC || code == EDQUOT }
}
