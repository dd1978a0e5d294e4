import CRDTKit
import Foundation
import Toolkit

extension Schema {
  /// The greatest file that is read, in bytes.
  static let sizeMax = 1 << 20

  /// Reads a schema from JSON; what would be passed over is refused.
  init(parsing bytes: [UInt8]) throws(CommandFailure) {
    do throws(JSONFailure) {
      try Self.check(JSONText(parsing: bytes))
    } catch {
      throw CommandFailure(error.description)
    }
    self = try JSONDecoder.decode(bytes)
  }

  private static func check(_ text: JSONText) throws(JSONFailure) {
    for member in text.root.members ?? [] {
      guard member.name == "collections" else {
        throw text.failure(
          "there is no \(member.name.jsonQuoted) in a schema, only \"collections\"",
          at: member.nameRange)
      }
      for collection in member.value.members ?? []
      where collection.name.utf8.count > Document.Value.maximumNameLength {
        throw text.failure(
          "a name has more than \(Document.Value.maximumNameLength) bytes", at: collection.nameRange
        )
      }
    }
  }
}
