import CRDTKit

/// A message about one object of one user.
struct RetwisMessage: Sendable {
  /// The user's number times three, and the object's.
  var object: Int
  var message: ExperimentMessage<NumberSet>

  /// Which of a user's objects it is.
  static func kind(of object: Int) -> RetwisObject {
    RetwisObject(rawValue: object % RetwisObject.allCases.count) ?? .followers
  }

  /// The number of a user's object.
  static func object(_ kind: RetwisObject, of user: Int) -> Int {
    user * RetwisObject.allCases.count + kind.rawValue
  }
}

extension RetwisMessage {
  /// What the message costs: the contents' lengths are known, so they aren't written.
  var cost: ExperimentCost {
    var bytes = ExperimentMessageFormat.frameByteCount + RetwisObject.varintLength(object)
    switch message {
    case .delta(let elements, let sequence):
      bytes += RetwisObject.varintLength(sequence)
      bytes += Self.kind(of: object).byteCount(of: elements)
    case .acknowledgement(let sequence): bytes += RetwisObject.varintLength(sequence)
    default: break
    }
    return ExperimentCost(
      messages: 1, elements: message.elementCount, metadata: message.metadataCount,
      bytes: bytes)
  }
}

/// A node of the Twitter clone.
protocol RetwisNode: ExperimentNode {
  /// Does what a user asks for.
  mutating func perform(_ operation: RetwisOperation)

  static func cost(of message: Message) -> ExperimentCost

  /// Equal on nodes that hold the same.
  var digest: UInt64 { get }

  var elementCount: Int { get }
}

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

/// A text that stands for a post's content or identifier: of a certain length, and
/// with the post's number in it.
struct RetwisText: Hashable, Sendable {
  var number: Int
  /// In bytes, the number's eight included.
  var length: Int

  init(_ number: Int, of length: Int) {
    self.number = number
    self.length = max(length, 8)
  }

  /// No text.
  static let empty = RetwisText(number: 0, length: 0)

  private init(number: Int, length: Int) {
    self.number = number
    self.length = length
  }

  /// What fills a text up.
  private static let filler = Array(repeating: UInt8(ascii: "."), count: 1_024)
}

extension RetwisText: CanonicalCodable {
  /// Writes the length, then the bytes.
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(length))
    guard length >= 8 else { return }
    writer.write(fixed: UInt64(number))
    Self.filler.withUnsafeBytes { filler in
      writer.write(UnsafeRawBufferPointer(rebasing: filler.prefix(length - 8)))
    }
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    let length = try reader.readVarint()
    guard length == 0 || (8...UInt64(Self.filler.count)).contains(length) else {
      throw DecodingFailure(.outOfBounds("a text of a post"), at: start)
    }
    var number = 0
    if length > 0 {
      number = Int(truncatingIfNeeded: try reader.readFixed(UInt64.self))
      _ = try reader.readBytes(Int(length) - 8)
    }
    self.init(number: number, length: Int(length))
  }
}
