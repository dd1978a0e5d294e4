import CRDTKit
import Foundation
import Toolkit

/// The rules that a file gives for merging JSON.
struct MergeRules {
  var collection = Schema.Collection()
  /// Who wins where one side removed what the other changed, if the file says so.
  var deletion: Schema.DeletionRule?

  /// The greatest file that is read, in bytes.
  static let sizeMax = 1 << 20

  /// No rules: where both sides changed something, that is a conflict.
  init() {}

  /// Reads the rules from JSON.
  init(parsing bytes: [UInt8]) throws(CommandFailure) {
    let text: JSONText
    do throws(JSONFailure) {
      text = try JSONText(parsing: bytes)
      try Self.check(text)
    } catch {
      throw CommandFailure(error.description)
    }
    collection = try JSONDecoder.decode(bytes)
    if text.root.members?.contains(where: { $0.name == "deletion" }) ?? false {
      deletion = collection.deletion
    }
  }

  /// Refuses what would be passed over: a name that means nothing, and a path that
  /// is there twice.
  private static func check(_ text: JSONText) throws(JSONFailure) {
    var paths: Set<FieldPath> = []
    for member in text.root.members ?? [] {
      guard member.name == "fields" || member.name == "deletion" else {
        throw text.failure(
          "there is no \(member.name.jsonQuoted) in rules, only \"fields\" and \"deletion\"",
          at: member.nameRange)
      }
      for field in member.value.members ?? [] where member.name == "fields" {
        guard paths.insert(FieldPath(parsing: field.name)).inserted else {
          throw text.failure("the path has a rule already", at: field.nameRange)
        }
      }
    }
  }
}

extension JSONDecoder {
  /// The value of a JSON text; a failure says in words what is wrong with it.
  static func decode<Value: Decodable>(_ bytes: [UInt8]) throws(CommandFailure) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: Data(bytes))
    } catch {
      throw CommandFailure((error as? DecodingError)?.problem ?? "\(error)")
    }
  }
}

extension DecodingError {
  /// Where something is wrong, and what, for people.
  var problem: String {
    let (context, problem): (Context, String?) =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context),
        .dataCorrupted(let context):
        (context, nil)
      case .keyNotFound(let key, let context): (context, "\(key.stringValue) is missing")
      @unknown default: (.init(codingPath: [], debugDescription: "\(self)"), nil)
      }
    let path = context.codingPath.map(\.stringValue).joined(separator: ": ")
    return (path.isEmpty ? "" : path + ": ") + (problem ?? context.debugDescription)
  }
}
