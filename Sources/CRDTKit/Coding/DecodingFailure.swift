/// Why bytes were refused: what is wrong, and at which byte.
///
/// Bytes from a file or a peer never trap and never take effect in part: they
/// decode wholly or give this error.
public struct DecodingFailure: Error, Hashable, Sendable {
  /// What was wrong.
  public enum Reason: Hashable, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// Bytes follow where the value has ended.
    case trailingBytes
    /// The bytes do not begin as this package's format does.
    case unknownFormat
    /// The bytes are of a format version that this version of the package does not know.
    case unsupportedVersion(UInt8)
    /// The bytes hold a value of another type: the codes found and expected.
    case typeMismatch(found: [UInt8], expected: [UInt8])
    /// The checksum does not fit the bytes: they were damaged.
    case damaged
    /// A length or number is greater than it can be here.
    case outOfBounds(String)
    /// The bytes could have been written shorter or in another order, so no
    /// replica wrote them.
    case notCanonical(String)
    /// Text is not valid UTF-8.
    case invalidText
    /// Values are nested deeper than ``ByteReader/depthMax``.
    case nestedTooDeep
    /// What the bytes hold would take more memory than it may, which was noticed before it
    /// was there.
    case memoryExceeded(max: Int)
    /// The bytes are well formed, but the value they give isn't allowed.
    case invalidValue(String)
  }

  /// What was wrong.
  public var reason: Reason
  /// The place of the byte at which it was noticed, from 0.
  public var offset: Int

  /// Creates an error for the byte at the offset.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// A sentence that says what is wrong, and at which byte.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension DecodingFailure.Reason: CustomStringConvertible {
  /// What is wrong, in words.
  public var description: String {
    switch self {
    case .truncated: "the bytes end too early"
    case .trailingBytes: "there are bytes after the end of the value"
    case .unknownFormat: "these are not bytes that CRDTKit wrote"
    case .unsupportedVersion(let version):
      "format version \(version) is newer than this version of CRDTKit can read"
    case .typeMismatch(let found, let expected):
      "the bytes hold another type (code \(found)) than was asked for (code \(expected))"
    case .damaged: "the checksum does not fit: the bytes were damaged"
    case .outOfBounds(let what): "\(what) is out of bounds"
    case .notCanonical(let what): "\(what) is not in canonical form"
    case .invalidText: "text is not valid UTF-8"
    case .nestedTooDeep: "values are nested too deep"
    case .memoryExceeded(let max): "it would take more than \(max) bytes of memory"
    case .invalidValue(let what): "\(what)"
    }
  }
}
