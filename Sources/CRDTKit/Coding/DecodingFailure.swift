/// The reason why bytes could not be decoded, and the offset of the problem.
///
/// Bytes from a file or a peer never trap and never take effect partially: they decode
/// completely or throw this error.
public struct DecodingFailure: Error, Hashable, Sendable {
  /// The kinds of problems.
  @nonexhaustive
  public enum Reason: Hashable, Sendable {
    /// The bytes end before the value ends.
    case truncated
    /// More bytes follow after the end of the value.
    case trailingBytes
    /// The bytes do not begin with the magic bytes of this package's format.
    case unknownFormat
    /// The bytes have a format version that this version of the package does not support.
    case unsupportedVersion(UInt8)
    /// The bytes hold a value of another type, with another type code.
    case typeMismatch(found: [UInt8], expected: [UInt8])
    /// The checksum does not match: the bytes are damaged.
    case damaged
    /// A length or number is greater than allowed here.
    case outOfBounds(String)
    /// The bytes are not in canonical form, so no replica wrote them: they could be
    /// shorter or in another order.
    case notCanonical(String)
    /// Text is not valid UTF-8.
    case invalidText
    /// Values are nested deeper than ``ByteReader/maximumDepth``.
    case nestedTooDeep
    /// The value would take more memory than allowed; decoding stopped before allocating
    /// it.
    case memoryExceeded(max: Int)
    /// The bytes are well formed, but the value is not allowed.
    case invalidValue(String)
  }

  /// The problem.
  public var reason: Reason
  /// The offset of the byte at which the problem was noticed, from 0.
  public var offset: Int

  /// Creates an error for the byte at an offset.
  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

extension DecodingFailure: CustomStringConvertible {
  /// A sentence that says what is wrong and at which byte.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension DecodingFailure.Reason: CustomStringConvertible {
  /// A description of the problem.
  public var description: String {
    switch self {
    case .truncated: "the bytes end too early"
    case .trailingBytes: "there are bytes after the end of the value"
    case .unknownFormat: "these are not bytes that CRDTKit wrote"
    case .unsupportedVersion(let version):
      "format version \(version) is newer than this version of CRDTKit can read"
    case .typeMismatch(let found, let expected):
      "the bytes hold \(TypeName.describe(found)), not \(TypeName.describe(expected))"
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
