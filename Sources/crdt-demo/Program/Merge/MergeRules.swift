import CRDTKit
import CRDTSimulator
import Toolkit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
    do {
      collection = try JSONDecoder().decode(Schema.Collection.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw CommandFailure(error.problem)
    } catch {
      throw CommandFailure("\(error)")
    }
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
        guard paths.insert(FieldPath(field.name)).inserted else {
          throw text.failure("the path has a rule already", at: field.nameRange)
        }
      }
    }
  }
}
