#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A fault to inject into a call of a ``SimulatedFileSystem``.
public struct DiskFault: Sendable, CustomStringConvertible {
  /// The effect of a fault.
  public enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// The call does nothing, and reports the error.
    case fails(Int32)
    /// The call does everything, but reports the error.
    case failsDone(Int32)
    /// The call reads or writes at most this many bytes, and at least one. Other calls are
    /// unaffected.
    case isShort(Int)

    /// The effect in words.
    public var description: String {
      switch self {
      case .fails(let code): "fails with \(errorName(code))"
      case .failsDone(let code): "is done but fails with \(errorName(code))"
      case .isShort(let count): "stops after \(count) bytes"
      }
    }
  }

  /// The effect.
  public var effect: Effect
  /// The kind of calls that are counted; `nil` for all.
  public var kind: DiskCall?
  /// The number of the faulty call, from 1, counted from when the fault was scheduled.
  public var number: Int
  /// Whether later calls fail as well.
  public var isForever: Bool

  /// Creates a fault of the next call, or of a later one.
  public init(
    _ effect: Effect, kind: DiskCall? = nil, number: Int = 1, isForever: Bool = false
  ) {
    self.effect = effect
    self.kind = kind
    self.number = number
    self.isForever = isForever
  }

  /// The call that fails, and how.
  public var description: String {
    "\(kind?.rawValue ?? "call") \(number)\(isForever ? " and all later ones" : "") \(effect)"
  }
}

extension DiskFault {
  /// Counts a call.
  ///
  /// Returns whether it is faulty.
  mutating func counts(_ call: DiskCall) -> Bool {
    guard kind == nil || kind == call else { return false }
    number -= 1
    return isForever ? number <= 0 : number == 0
  }
}

/// The name of an error code.
func errorName(_ code: Int32) -> String {
  let names: [Int32: String] = [
    EIO: "EIO", ENOSPC: "ENOSPC", EINTR: "EINTR", EDQUOT: "EDQUOT", EROFS: "EROFS",
    ENOENT: "ENOENT", EEXIST: "EEXIST", ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EBADF: "EBADF",
    EINVAL: "EINVAL", EXDEV: "EXDEV", ENOTEMPTY: "ENOTEMPTY", ENAMETOOLONG: "ENAMETOOLONG",
    EMFILE: "EMFILE", EACCES: "EACCES",
  ]
  return names[code] ?? "error \(code)"
}
