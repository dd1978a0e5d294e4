#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A call of a ``SimulatedFileSystem`` that is to go wrong.
public struct DiskFault: Sendable, CustomStringConvertible {
  /// In which way a call goes wrong.
  public enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// Nothing is done; the call reports the error.
    case fails(Int32)
    /// All is done, but the call reports the error.
    case failsDone(Int32)
    /// So many bytes at most, and at least one, are read or written; other calls are
    /// as always.
    case isShort(Int)

    /// What it does, in words.
    public var description: String {
      switch self {
      case .fails(let code): "fails with \(errorName(code))"
      case .failsDone(let code): "is done but fails with \(errorName(code))"
      case .isShort(let count): "stops after \(count) bytes"
      }
    }
  }

  /// What happens.
  public var effect: Effect
  /// The calls that are counted; `nil` if all are.
  public var kind: DiskCall?
  /// Which of these calls it is, from 1, counted from when the fault was scheduled.
  public var number: Int
  /// Whether it happens to the later ones as well.
  public var isForever: Bool

  /// Creates the fault of the first call to come, or of a later one.
  public init(
    _ effect: Effect, kind: DiskCall? = nil, number: Int = 1, isForever: Bool = false
  ) {
    self.effect = effect
    self.kind = kind
    self.number = number
    self.isForever = isForever
  }

  /// Which call goes wrong, and how.
  public var description: String {
    "\(kind?.rawValue ?? "call") \(number)\(isForever ? " and all later ones" : "") \(effect)"
  }
}

extension DiskFault {
  /// Counts a call: whether it goes wrong.
  mutating func counts(_ call: DiskCall) -> Bool {
    guard kind == nil || kind == call else { return false }
    number -= 1
    return isForever ? number <= 0 : number == 0
  }
}

/// The name of an error's number.
func errorName(_ code: Int32) -> String {
  let names: [Int32: String] = [
    EIO: "EIO", ENOSPC: "ENOSPC", EINTR: "EINTR", EDQUOT: "EDQUOT", EROFS: "EROFS",
    ENOENT: "ENOENT", EEXIST: "EEXIST", ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EBADF: "EBADF",
    EINVAL: "EINVAL", EXDEV: "EXDEV", ENOTEMPTY: "ENOTEMPTY", ENAMETOOLONG: "ENAMETOOLONG",
    EMFILE: "EMFILE", EACCES: "EACCES",
  ]
  return names[code] ?? "error \(code)"
}
