extension Document {
  /// The fields of an encoded model; a nested struct or dictionary is an object.
  ///
  /// - Complexity: O(size of the model).
  /// - Throws: `EncodingError`, with the coding path.
  package static func fields(
    of model: some Encodable, under rules: Schema.Collection? = nil
  ) throws -> [String: Value] {
    if let list = try list(of: model, under: rules) {
      return Dictionary(list.map { ($0, $1) }, uniquingKeysWith: { $1 }).filter { $1 != .null }
    }
    let node = try Editor.node(of: model, under: rules)
    guard case .object(let fields) = Value(.object(node.fields)) else { return [:] }
    return fields
  }

  /// Decodes a model from fields.
  ///
  /// - Complexity: O(size of the fields).
  /// - Throws: `DecodingError`, with the coding path.
  package static func model<Model: Decodable>(
    _ type: Model.Type, from fields: [String: Value], under rules: Schema.Collection? = nil
  ) throws -> Model {
    if let listed = type as? any FieldRepresentable.Type, rules?.allowsLists != false,
      let model = try listed.init(fields: fields) as? Model
    {
      return model
    }
    var node = Value.node(of: fields)
    if let rules { node = rules.completed(node) }
    return try NodeDecoder(node, depth: 0).value(type, of: node, deeper: 0)
  }

  /// The changes that write those fields of a new record that a model does not know.
  ///
  /// - Complexity: O(size of the fields).
  package static func changes(
    creating fields: [String: Value], beyond known: [String: Value],
    under rules: Schema.Collection
  ) -> [FieldChange] {
    var changes: [FieldChange] = []
    add(fields, beyond: known, under: rules, at: [], to: &changes)
    return changes
  }

  private static func add(
    _ fields: [String: Value], beyond known: [String: Value], under rules: Schema.Collection,
    at path: FieldPath, to changes: inout [FieldChange]
  ) {
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      let path = path.appending(name)
      switch (value, known[name], rules.rule(of: path)) {
      case (.object(let inner), .object(let knownInner)?, _):
        add(inner, beyond: knownInner, under: rules, at: path, to: &changes)
      case (_, _?, _), (.null, _, _): break
      case (.object(let inner), nil, _) where !inner.isEmpty:
        add(inner, beyond: [:], under: rules, at: path, to: &changes)
      case (.int(let count), nil, .counter):
        changes.append(FieldChange(path, .increment(count)))
      case (.array(let elements), nil, .set) where !elements.isEmpty:
        changes.append(FieldChange(path, .insert(elements)))
      case (_, nil, _): changes.append(FieldChange(path, .assign(value, before: nil)))
      }
    }
  }
}

extension [String: Document.Value] {
  /// Applies changes to plain fields, as to a record that no one else changes.
  ///
  /// - Complexity: Expected O(size of the changed values).
  package mutating func apply(_ changes: [Document.FieldChange]) {
    for change in changes { apply(change.change, to: change.path.names[...]) }
  }

  /// The value at a path; `nil` where there is none.
  package func value(at path: FieldPath) -> Document.Value? {
    var fields = self
    for name in path.names.dropLast() {
      guard case .object(let inner)? = fields[name] else { return nil }
      fields = inner
    }
    return path.names.last.flatMap { fields[$0] }
  }

  private mutating func apply(
    _ kind: Document.FieldChange.Kind, to names: ArraySlice<String>
  ) {
    guard let name = names.first else { return }
    guard names.count == 1 else {
      var inner: [String: Document.Value] = [:]
      if case .object(let fields)? = self[name] { inner = fields }
      inner.apply(kind, to: names.dropFirst())
      self[name] = .object(inner)
      return
    }
    self[name] = Document.Value(applying: kind, to: self[name])
  }
}

extension Document.Value {
  /// The value of a field after a change; `nil` if the change leaves none.
  fileprivate init?(applying kind: Document.FieldChange.Kind, to old: Document.Value?) {
    switch kind {
    case .assign(let value, _): self = value
    case .remove: return nil
    case .increment(let amount):
      guard case .int(let number)? = old else {
        self = .int(amount)
        return
      }
      self = .int(Int64(clamping: Int128(number) + Int128(amount)))
    case .insert(let elements):
      guard case .array(let present)? = old else {
        self = .array(elements)
        return
      }
      let known = Set(present)
      self = .array(present + elements.filter { !known.contains($0) })
    case .take(let elements):
      guard case .array(let present)? = old else { return nil }
      let gone = Set(elements)
      self = .array(present.filter { !gone.contains($0) })
    }
  }
}

/// A model that lists its fields by hand, for types whose `Codable` form is too slow.
///
/// A document writes and reads such a model by its list instead of its `Codable` form:
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
/// The list does not distinguish a set from an array: give the field of a `Set` the rule
/// ``Schema/FieldRule/set``. The list must have the same content as the `Codable` form, which is
/// still used in some collections. These are collections with
/// ``Schema/Collection/defaults`` or ``Schema/Collection/keptNames``, and those with a
/// field under the rule ``Schema/FieldRule/merged``, because the list can't merge values.
///
/// An object in the list is written as a dictionary: names that it lacks are removed. A
/// field that isn't listed stays as it is.
public protocol FieldRepresentable {
  /// The fields by name, each once and always in the same order; an empty field is null.
  var fields: KeyValuePairs<String, Document.Value> { get }

  /// Creates the model from a record's fields.
  ///
  /// - Throws: Any error, if the fields don't fit the model.
  init(fields: [String: Document.Value]) throws
}

extension Document {
  /// A list of a model's fields.
  typealias FieldList = KeyValuePairs<String, Value>

  /// The list of a model's fields, if it may replace the model's `Codable` form under the
  /// rules of a collection.
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

extension Document.Editor {
  /// Writes the listed fields that differ from the record's.
  mutating func write(
    _ fields: KeyValuePairs<String, Document.Value>, to record: String, in collection: String
  ) -> [FieldPath] {
    let place = openRecord(record, in: collection)
    object = nil
    let rules = collectionRules?.rules
    let known = knownRows(of: place, forFields: fields.count)
    let left = fields.filter { name, value in
      known?.holds(value, at: name, under: rules?.beneath(name)?.rule) != true
    }
    var changed: [FieldPath] = []
    for (name, value) in left {
      let target = Target(place: place, name: name, rules: rules?.beneath(name))
      writeListed(value, to: target, changed: &changed)
    }
    return changed
  }

  private mutating func writeListed(
    _ value: Document.Value, to target: Target, changed: inout [FieldPath]
  ) {
    let isWritten: Bool
    switch value {
    case .object(let fields):
      return writeListed(fields, to: target, changed: &changed)
    case .null: isWritten = writeAbsence(of: target)
    default: isWritten = assign(value, to: target, isForced: false)
    }
    if isWritten { changed.append(target.path) }
  }

  private mutating func writeListed(
    _ fields: [String: Document.Value], to target: Target,
    changed: inout [FieldPath]
  ) {
    let place = openObject(at: target, changed: &changed)
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      writeListed(value, to: target.field(name, in: place), changed: &changed)
    }
    for name in names(in: place) where fields[name] == nil {
      let field = target.field(name, in: place)
      if clear(field) { changed.append(field.path) }
    }
  }
}
