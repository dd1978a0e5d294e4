import CRDTKit

/// Where an element of a user's object stands in CRDTKit's map.
struct RetwisKey: Hashable, Sendable {
  var object: RetwisObject
  var user: Int
  /// A follower, a post, or the time at which a post was made.
  var number: Int
}

extension RetwisKey: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    encode(to: &writer, after: nil)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    try self.init(from: &reader, after: nil)
  }

  /// Writes the object, the user, and a follower, a time or a post's identifier.
  func encode(to writer: inout ByteWriter, after previous: RetwisKey?) {
    writer.write(UInt8(object.rawValue))
    user.encode(to: &writer, after: previous?.user)
    switch object {
    case .followers: number.encode(to: &writer, after: previous?.number)
    case .posts: RetwisText(number, of: RetwisObject.identifierLength).encode(to: &writer)
    case .timeline: writer.write(fixed: UInt64(number))
    }
  }

  init(from reader: inout ByteReader, after previous: RetwisKey?) throws(DecodingFailure) {
    let start = reader.offset
    guard let object = RetwisObject(rawValue: Int(try reader.readByte())) else {
      throw DecodingFailure(.outOfBounds("one of three objects"), at: start)
    }
    self.object = object
    user = try Int(from: &reader, after: previous?.user)
    switch object {
    case .followers: number = try Int(from: &reader, after: previous?.number)
    case .posts: number = try RetwisText(from: &reader).number
    case .timeline: number = Int(truncatingIfNeeded: try reader.readFixed(UInt64.self))
    }
  }
}
