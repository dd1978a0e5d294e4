import CRDTKit

/// A type of your own whose values are records of a store: plain values, merged field
/// by field, each under its rule.
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
/// The conformance is part of the declaration: so the coding keys are known that Swift makes,
/// and it compiles where types belong to the main actor unless they say otherwise.
///
/// It must be a struct: of an object, which is changed in place, a store could not tell
/// what is different.
///
/// A record's name is its identifier's text, so that must be the same on every device
/// and in every language: a text, a number, a UUID. Make it where the record is made;
/// it is never changed.
///
/// Fields are what `Codable` makes of them. Records that older versions of the app have
/// written lack a new field: make it optional, or say beside the rules what is read then, as
/// `defaults: [.priority: 3]`, since Swift doesn't read the value in the declaration where it
/// decodes. What a newer version has written stays when an older one changes the record.
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

  /// The value that a record's fields make up.
  static func model(from fields: [String: Document.Value]) throws -> Self {
    try Document.model(Self.self, from: fields, under: rules.collection)
  }

  /// The fields of the record.
  func keptFields() throws -> [String: Document.Value] {
    try Document.fields(of: self, under: Self.rules.collection)
  }
}

/// What a collection's records have to do with a server.
///
/// It holds for all that the app writes: in transactions, by drafts, undos and edits of the
/// document. What comes from peers and relays, or from the server, is no write of the app.
public enum ServerAccess: Hashable, Sendable {
  /// Nothing: changes go to peers only, which merge them.
  case none
  /// Changes are queued for the server as well, and its changes are merged.
  ///
  /// Stores that have the same server may exchange such records as peers as well, but
  /// not counters: a server's number doesn't say whose counts are in it, so what a peer
  /// has counted and sent is counted again by who hears of it from both.
  case queued
  /// They are the server's, and only read here.
  case readOnly
  /// Changes are made at the server at once or not at all: what must never wait in a
  /// queue, as a payment.
  ///
  /// A write and an edit are refused; see ``Outbox/performOnline(idempotencyKey:_:)``.
  case onlineOnly
}
