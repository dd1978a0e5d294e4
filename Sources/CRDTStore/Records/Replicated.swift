import CRDTKit

/// A type of your own whose values are records of a store: plain values, merged field
/// by field, each under its rule.
///
///     struct Note: Codable, Identifiable, Sendable {
///       let id: String
///       var title: String
///       var body = ""
///       var tags: Set<String> = []
///       var likes = 0
///     }
///     extension Note: Replicated {
///       static let collection = "notes"
///       static let rules = Rules([CodingKeys.body: .manual, .tags: .set, .likes: .counter])
///     }
///
/// It must be a struct: of an object, which is changed in place, a store could not tell
/// what is different.
///
/// A record's name is its identifier's text, so that must be the same on every device
/// and in every language: a text, a number, a UUID. Make it where the record is made;
/// it is never changed.
///
/// Fields are what `Codable` makes of them. New fields should be optional, or decoded
/// with a default, since records that older versions of the app have written lack them;
/// what a newer version has written stays when an older one changes the record.
public protocol Replicated: Codable, Identifiable, Sendable
where ID: CustomStringConvertible & Sendable {
  /// The name under which the records are kept: for ever, whatever the type is called.
  static var collection: String { get }

  /// How fields are merged; unless given, the last writer of each wins.
  static var rules: Rules { get }

  /// What the records have to do with a server; unless given, nothing.
  static var serverAccess: ServerAccess { get }

  /// Refuses a value that must not be written, by throwing an error.
  ///
  /// It is asked before a commit, of each record as it would become. A merge can break
  /// what each replica kept to: ``Store/violations(in:)`` tells.
  func validate() throws
}

extension Replicated {
  /// The last writer of each field wins.
  public static var rules: Rules { Rules() }

  /// The records have nothing to do with a server.
  public static var serverAccess: ServerAccess { .none }

  /// Every value may be written.
  public func validate() throws {}
}

extension Replicated {
  /// Which record a value is.
  static func record(_ id: ID) -> Document.RecordID {
    Document.RecordID("\(id)", in: collection)
  }
}
