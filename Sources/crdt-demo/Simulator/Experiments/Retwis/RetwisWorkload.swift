import CRDTKit
import CRDTStoreTesting

/// What the nodes do, alike for all algorithms.
struct RetwisWorkload: Sendable {
  /// How large it is: the paper's, unless it is made smaller.
  struct Size: Equatable, Sendable {
    var nodeCount = 50
    var userCount = 10_000
    var operationsPerNode = 100
  }

  let size: Size

  /// Operations in percent: 15 follow, 35 post, the rest read.
  private static let (followPercent, postPercent) = (15, 35)

  /// By node, in order.
  private(set) var operations: [[RetwisOperation]] = []

  init(coefficient: Double, seed: UInt64, size: Size = Size()) {
    self.size = size
    let users = ZipfDistribution(count: size.userCount, quarters: Int(coefficient * 4))
    var postCount = 0
    for node in 0..<size.nodeCount {
      var random = SeededGenerator(seed: seed, stream: 100 + UInt64(node))
      operations.append(
        (0..<size.operationsPerNode).map { _ in
          let kind = random.below(100)
          if kind < Self.followPercent {
            return .follow(
              user: users.draw(using: &random), followed: users.draw(using: &random))
          }
          if kind < Self.followPercent + Self.postPercent {
            postCount += 1
            return .post(user: users.draw(using: &random), number: postCount - 1)
          }
          return .read(user: random.below(size.userCount))
        })
    }
  }
}

/// What a user of the Twitter clone does.
enum RetwisOperation: Equatable, Sendable {
  /// A user begins to follow another.
  case follow(user: Int, followed: Int)
  /// A user writes a post, which goes to the timelines of their followers, as far as
  /// the node knows them.
  case post(user: Int, number: Int)
  /// A user reads their timeline, which sends nothing.
  case read(user: Int)
}

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

/// Numbers of which the first is the most frequent: the chance of the number at place
/// k, from 1, is in proportion to 1 / k to the power of a coefficient.
struct ZipfDistribution: Sendable {
  /// The chances of a number and all before it.
  private var cumulative: [Double] = []

  /// Creates a distribution; the coefficient is given in quarters, so that roots
  /// suffice, which are the same on every machine.
  init(count: Int, quarters: Int) {
    var sum = 0.0
    cumulative.reserveCapacity(count)
    for place in 1...max(count, 1) {
      let root = Double(place).squareRoot().squareRoot()
      sum += 1 / (0..<quarters).reduce(1.0) { power, _ in power * root }
      cumulative.append(sum)
    }
  }

  /// A number from 0 to the count, exclusively.
  func draw(using random: inout SeededGenerator) -> Int {
    let wanted = Double(random.next() >> 11) * 0x1p-53 * (cumulative.last ?? 0)
    return (0..<cumulative.count - 1).partitioningIndex { cumulative[$0] > wanted }
  }
}
