import CRDTKit

/// A type of your own whose values are records of a store.
///
/// Records are plain values. They are merged field by field, each field by its rule.
///
///     struct Note: Replicated {
///       let id: String
///       var title: String
///       var body = ""
///       var tags: Set<String> = []
///       var likes = 0
///
///       static let collection = "notes"
///       static let rules = Rules([CodingKeys.body: .manual, .likes: .counter])
///     }
///
/// Declare the conformance with the type itself: then the coding keys that Swift makes are
/// visible, and it compiles in modules where types belong to the main actor by default.
///
/// The type must be a struct: a class instance is changed in place, so a store could not
/// tell what is different.
///
/// A record's name is the text of its identifier. So the text must be the same on every
/// device and in every language: use a string, a number or a UUID. Choose the identifier
/// when you create the record; it never changes.
///
/// The fields are those that `Codable` encodes. Records by older versions of the app lack a
/// new field. Make the field optional, or give its default beside the rules, as in
/// `defaults: [.priority: 3]`: Swift doesn't use the value in the declaration when it
/// decodes. Fields that a newer version has written stay when an older one changes the
/// record.
public protocol Replicated: Codable, Identifiable, Sendable
where ID: CustomStringConvertible & Sendable {
  /// The name under which the records are kept.
  ///
  /// Never change it, even if you rename the type.
  static var collection: String { get }

  /// How fields are merged; by default, the last writer of each field wins.
  static var rules: Rules { get }

  /// How the records are exchanged with a server; by default, not at all.
  static var serverAccess: ServerAccess { get }

  /// Throws an error if the value must not be written.
  ///
  /// It is called before a commit, with each record as it would become. A merge can break
  /// rules that each replica has kept: ``Store/violations(in:)`` finds that.
  func validate() throws
}

extension Replicated {
  /// No rules: the last writer of each field wins.
  public static var rules: Rules { Rules() }

  /// The records are not exchanged with a server.
  public static var serverAccess: ServerAccess { .peersOnly }

  /// Every value may be written.
  public func validate() throws {}
}

extension Replicated {
  /// The record's identifier in the document.
  static func record(_ id: ID) -> Document.RecordID {
    Document.RecordID("\(id)", in: collection)
  }

  /// The value that a record's fields decode to.
  static func model(from fields: [String: Document.Value]) throws -> Self {
    try Document.model(Self.self, from: fields, under: rules.collection)
  }

  /// The fields of the record.
  func keptFields() throws -> [String: Document.Value] {
    try Document.fields(of: self, under: Self.rules.collection)
  }
}

/// How a collection's records are exchanged with a server.
///
/// It applies to everything that the app writes: in transactions, drafts, undos and edits
/// of the document. Changes from peers, relays and the server are no writes of the app.
public enum ServerAccess: Hashable, Sendable {
  /// Not at all: changes go only to peers, which merge them.
  case peersOnly
  /// Changes are also queued for the server, and the server's changes are merged.
  ///
  /// Stores with the same server may also exchange such records as peers, except counters.
  /// A server's number doesn't say whose counts it includes, so a replica that receives
  /// a count from both the peer and the server would count it twice.
  case queued
  /// As ``queued``, but what has changed in a text or a list is sent as edits, and not as all
  /// that it holds.
  ///
  /// They are edits of what the server had in the version that the operation is based on, so
  /// the server must refuse an operation that is based on another version than it has. Where
  /// the store doesn't know what the server had, it sends the whole. To know it, the store keeps
  /// such fields of each record a second time, as the server has them.
  case queuedAsEdits
  /// The records belong to the server, and are only read here.
  case readOnly
  /// Changes are made at the server at once or not at all.
  ///
  /// Use it for what must never wait in a queue, such as a payment. Writes and edits are
  /// refused; see ``Outbox/performOnline(idempotencyKey:_:)``.
  case onlineOnly
}
