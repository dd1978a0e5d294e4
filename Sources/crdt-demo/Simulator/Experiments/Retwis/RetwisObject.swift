import CRDTKit

/// One of the three objects that a user has.
enum RetwisObject: Int, CaseIterable, Sendable {
  /// A growing set of users.
  case followers
  /// A growing map of posts: from an identifier to what was written.
  case posts
  /// A growing map from a time to a post's identifier.
  case timeline

  /// The length of what is written, in bytes: the paper's.
  static let contentLength = 270
  /// The length of a post's identifier, in bytes: the paper's.
  static let identifierLength = 31
  /// The length of a time in a timeline, in bytes.
  private static let timeLength = 8

  /// How many bytes elements take, with their number: posts with their contents,
  /// timelines with times and identifiers, each text after its length.
  func byteCount(of elements: NumberSet) -> Int {
    let count = elements.elementCount
    switch self {
    case .followers:
      var writer = ByteWriter()
      elements.encode(to: &writer)
      return writer.count
    case .posts:
      return Self.varintLength(count) + count
        * (1 + Self.identifierLength + Self.varintLength(Self.contentLength)
          + Self.contentLength)
    case .timeline:
      return Self.varintLength(count) + count * (Self.timeLength + 1 + Self.identifierLength)
    }
  }

  /// How many bytes a number takes.
  static func varintLength(_ number: Int) -> Int {
    max((Int.bitWidth - number.leadingZeroBitCount + 6) / 7, 1)
  }
}
