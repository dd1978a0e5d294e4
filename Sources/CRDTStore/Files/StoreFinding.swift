import CRDTKit

/// Damage in a store's files.
public struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public var path: String
  /// The offset of the first damaged byte, as far as it can be determined.
  public var offset: Int
  /// What is wrong.
  public var reason: String

  /// The file, the offset and the damage.
  public var description: String { "\(path.visible), byte \(offset): \(reason.visible)" }

  init(path: String, offset: Int, reason: String) {
    self.path = path
    self.offset = offset
    self.reason = reason
  }

  init(_ error: StoreError, path: String) {
    switch error {
    case .damaged(let path, let offset, let reason):
      self.init(path: path, offset: offset, reason: reason)
    case .wrongKey(let path):
      self.init(path: path, offset: FileHead.size, reason: "it isn't what was sealed there")
    case .newerFormat(let path, let version):
      self.init(
        path: path, offset: 3,
        reason: "it is of format version \(version), which this version of CRDTStore can't read")
    case .system(let cause, let path):
      self.init(path: path, offset: 0, reason: "it can't be read: \(cause.reason)")
    default:
      self.init(path: path, offset: 0, reason: error.description)
    }
  }
}
