import CRDTKit

/// The models that a store was opened for.
struct ModelRegistry: Sendable {
  /// The facts about one model.
  struct Entry: Sendable {
    var type: any Replicated.Type
    var rules: Rules
    var access: ServerAccess
    /// Whether a field's rule may refuse a value.
    var hasSelectiveRules: Bool
    /// The rules that can't merge every value, by the fields that they name.
    var demandingRules: [FieldPath: Schema.FieldRule]
  }

  private var entries: [String: Entry] = [:]

  init(_ models: [any Replicated.Type] = []) {
    for type in models {
      // A class instance has no earlier value to compare with, so models must be structs.
      precondition(!(type is AnyObject.Type), "\(type) must be a struct to be Replicated.")
      let rules = type.rules
      entries[type.collection] = Entry(
        type: type, rules: rules, access: type.serverAccess,
        hasSelectiveRules: rules.collection.fields.values.contains { $0.isSelective },
        demandingRules: rules.collection.fields.filter { $1.isDemanding })
      if type.serverAccess.tellsServer { hasQueue = true }
      if type.serverAccess != .peersOnly { hasServer = true }
    }
  }

  subscript(collection: String) -> Entry? { entries[collection] }

  /// Throws if a model isn't among these.
  func require(_ type: any Replicated.Type) throws(RecordError) {
    if entries[type.collection] == nil { throw .unknownModel(collection: type.collection) }
  }

  /// The collections that the models name, in order.
  var collections: [String] { entries.keys.sorted() }

  /// The collections that are exchanged with a server, in order.
  var served: [String] { entries.filter { $0.value.access != .peersOnly }.keys.sorted() }

  /// Whether there is a collection whose changes are queued.
  private(set) var hasQueue = false

  /// Whether any collection is exchanged with a server.
  private(set) var hasServer = false
}

extension Schema.FieldRule {
  /// Whether a value that would not win is left unwritten.
  var isSelective: Bool {
    switch self {
    case .firstWriterWins, .max, .min: true
    default: false
    }
  }

  /// Whether there are values that the rule can't merge.
  var isDemanding: Bool {
    switch self {
    case .counter, .set, .text, .list: true
    default: false
    }
  }

  /// Whether the rule can merge a value.
  func merges(_ value: Document.Value) -> Bool {
    switch (self, value) {
    case (_, .null), (.counter, .int), (.set, .array), (.text, .string), (.list, .array): true
    default: !isDemanding
    }
  }

  /// What a value is that the rule can merge.
  var mergeableKind: String {
    switch self {
    case .counter: "whole number of an Int64"
    case .text: "string"
    case .list: "array"
    default: "set or array"
    }
  }
}

extension ModelRegistry.Entry {
  /// Throws if a field is written under a rule that can't merge what it holds.
  ///
  /// A pattern with `*` may well stand for fields of several types, so it isn't judged.
  func requireSuitableRules(
    of changes: [Document.FieldChange], to record: Document.RecordID
  ) throws(RecordError) {
    if demandingRules.isEmpty { return }
    for change in changes {
      if case .assign(let value, _) = change.change, let rule = demandingRules[change.path],
        !rule.merges(value)
      {
        throw .unsuitableRule(record, change.path, rule)
      }
      // Such a rule is not that of the fields within a struct or dictionary.
      for count in 1..<max(1, change.path.names.count) {
        let outer = FieldPath(Array(change.path.names.prefix(count)))
        if let rule = demandingRules[outer] { throw .unsuitableRule(record, outer, rule) }
      }
    }
  }
}
