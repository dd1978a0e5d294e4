/// A model that lists its fields by hand, where `Codable` is too slow.
///
/// A document writes and reads such a model by its list, and not by its `Codable` form:
///
///     extension Note: FieldRepresentable {
///       var fields: KeyValuePairs<String, Document.Value> {
///         [
///           "title": .string(title), "likes": .int(Int64(likes)),
///           "note": note.map { .string($0) } ?? .null,
///         ]
///       }
///
///       init(fields: [String: Document.Value]) throws {
///         self.init(
///           title: try fields.read("title"), likes: try fields.read("likes"),
///           note: try fields.readIfPresent("note"))
///       }
///     }
///
/// The list tells no set from an array: give the field of a `Set` the rule
/// ``FieldRule/set``. It must say what `Codable` would: in collections where a field has the rule
/// ``FieldRule/merged``, whose values the list doesn't know how to merge, or that have
/// ``Schema/Collection/defaults`` or ``Schema/Collection/keptNames``, `Codable` is used all the
/// same.
///
/// An object in the list is written as a dictionary is: names that it doesn't have are
/// removed. A field that isn't listed stays as it is.
public protocol FieldRepresentable {
  /// The fields by their names, each once, always in the same order; those that hold
  /// nothing are null.
  var fields: KeyValuePairs<String, Document.Value> { get }

  /// Creates the model that a record's fields hold.
  ///
  /// - Throws: An error of any kind where the fields are not what the model asks for.
  init(fields: [String: Document.Value]) throws
}

extension Document {
  /// A list of a model's fields.
  typealias FieldList = KeyValuePairs<String, Value>

  /// The list of a model that makes one by hand, if it may stand for its `Codable` form
  /// under the rules of a collection.
  static func list(
    of model: some Encodable, under rules: Schema.Collection?
  ) throws -> FieldList? {
    guard TypeTraits.of(model).listsFields, let listed = model as? any FieldRepresentable,
      rules?.allowsLists != false
    else { return nil }
    let fields = listed.fields
    do {
      for (name, value) in fields { try value.requireRoom(at: [name]) }
    } catch {
      throw EncodingError.invalidValue(
        model, EncodingError.Context(codingPath: [], debugDescription: "\(error)."))
    }
    return fields
  }
}
