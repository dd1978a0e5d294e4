import CRDTKit
import CRDTStore
import Toolkit

/// Where a text is in a document.
struct EditedPlace: Hashable {
  var collection = "texts"
  var record = "text"
  var field: FieldPath = "body"
}

extension EditedPlace {
  /// Understands the words of a command line: none, or a collection, a record and a field.
  init(_ words: ArraySlice<String>) throws(UsageError) {
    guard let collection = words.first else {
      self.init()
      return
    }
    let names = Array(words.dropFirst())
    guard names.count == 2 else {
      throw UsageError(
        names.count < 2
          ? "missing operand \(names.isEmpty ? "RECORD" : "FIELD")" : "extra operand '\(names[2])'")
    }
    self.init(collection: collection, record: names[0], field: FieldPath(parsing: names[1]))
    for name in [collection, names[0]]
    where name.utf8.count > Document.Value.maximumNameLength {
      throw UsageError("a name has more than \(Document.Value.maximumNameLength) bytes")
    }
    do throws(CommandFailure) { try field.check() } catch { throw UsageError(error.description) }
  }

  /// The names, joined by slashes.
  var name: String { "\(collection)/\(record)/\(field)" }

  /// Opens a store in which the field is a text; makes one if there is none.
  ///
  /// The store keeps the rule. A field that has another rule stays as it is.
  func openStore(at path: String) throws(CommandFailure) -> Store {
    try StoreCommand.stored { () throws(StoreError) in
      let store = try Store.open(at: path)
      let schema = store.document.schema
      guard schema.collections[collection]?.givenRule(of: field) == nil else { return store }
      try store.close()
      var changed = schema
      changed.collections[collection, default: Schema.Collection()].fields[field] = .text
      return try Store.open(at: path, schema: changed)
    }
  }

  /// Throws if the field has another rule than that of texts.
  func checkRule(in store: Store) throws(CommandFailure) {
    let rule = store.document.schema.collections[collection]?.rule(of: field)
    guard rule != .text else { return }
    throw CommandFailure(
      "\(store.path): \(name.visible) has another rule than 'text', so it can't be edited at "
        + "several places at once")
  }

  /// The text; `nil` if there is none.
  func text(in document: Document) -> Document.Text? {
    document.text(of: field, of: record, in: collection)
  }
}

/// The caret of somebody in a text, as a record that only their replica writes.
struct PublishedCaret: Codable, Equatable {
  var name: String
  /// The name of the text's place.
  var text: String
  var caret: Place
  /// When it was moved last, in milliseconds since 1970.
  var moved: UInt64

  /// An anchor, which is never merged with another one.
  struct Place: Codable, Equatable, WholeValue {
    var anchor: ReplicatedText.Anchor
  }

  static let collection = "carets"
  /// How long a caret is shown that isn't moved: an editor that was killed leaves its own.
  static let shownMilliseconds: UInt64 = 10 * 60 * 1_000
}

extension PublishedCaret {
  /// The carets of others in a text, in the order of their replicas.
  static func others(
    than replica: ReplicaID, in document: Document, at place: EditedPlace, now: UInt64
  ) -> [TextPane.OtherCaret] {
    document.records(in: collection).sorted().compactMap { record in
      guard record != "\(replica)",
        let caret = try? document.read(Self.self, record, in: collection),
        caret.text == place.name, now < caret.moved &+ shownMilliseconds
      else { return nil }
      let color = record.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF }
      return TextPane.OtherCaret(name: caret.name, anchor: caret.caret.anchor, color: color)
    }
  }
}
