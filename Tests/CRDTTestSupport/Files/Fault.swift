#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A call of a ``SimulatedFileSystem`` that is to go wrong.
package struct Fault: Sendable, CustomStringConvertible {
  /// In which way a call goes wrong.
  package enum Effect: Hashable, Sendable, CustomStringConvertible {
    /// Nothing is done; the call reports the error.
    case fails(Int32)
    /// All is done, but the call reports the error.
    case failsDone(Int32)
    /// So many bytes at most, and at least one, are read or written; other calls are
    /// as always.
    case isShort(Int)

    package var description: String {
      switch self {
      case .fails(let code): "fails with \(errorName(code))"
      case .failsDone(let code): "is done but fails with \(errorName(code))"
      case .isShort(let count): "stops after \(count) bytes"
      }
    }
  }

  /// What happens.
  package var effect: Effect
  /// The calls that are counted; `nil` if all are.
  package var kind: CallKind?
  /// Which of these calls it is, from 1, counted from when the fault was scheduled.
  package var number: Int
  /// Whether it happens to the later ones as well.
  package var isForever: Bool

  package init(
    _ effect: Effect, kind: CallKind? = nil, number: Int = 1, isForever: Bool = false
  ) {
    self.effect = effect
    self.kind = kind
    self.number = number
    self.isForever = isForever
  }

  package var description: String {
    "\(kind?.rawValue ?? "call") \(number)\(isForever ? " and all later ones" : "") \(effect)"
  }
}

extension Fault {
  /// Counts a call: whether it goes wrong.
  mutating func counts(_ call: CallKind) -> Bool {
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
