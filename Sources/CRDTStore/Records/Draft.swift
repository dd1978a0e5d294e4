public import CRDTKit

/// A record as a form shows it: it stays open while others edit, and when it is
/// committed, writes only what its user changed.
///
///     var form = try store.draft(Note.self, "n1")
///     form.title = "Full moon"
///     try await store.write { try $0.commit(form) }  // the title, and only that
///
/// What came in meanwhile is neither reverted nor replaced: a field that both have
/// changed has two concurrent values, and reads as its rule says.
///
/// A draft is committed once, and its copies with it: what it counts would be counted
/// again, and what it assigns be in conflict with itself. A form that stays open goes on
/// with another draft.
@dynamicMemberLookup
public struct Draft<Model: Replicated>: Sendable {
  /// The record as it was read.
  public let base: Model
  /// The record as its user has it.
  public var model: Model
  /// What had been seen when it was read.
  public let version: VersionVector
  /// Whether it was committed, or a copy of it.
  let isCommitted = Locked(false)

  init(_ base: Model, at version: VersionVector) {
    self.base = base
    model = base
    self.version = version
  }

  /// A field of the record.
  public subscript<Value>(dynamicMember field: WritableKeyPath<Model, Value>) -> Value {
    get { model[keyPath: field] }
    set { model[keyPath: field] = newValue }
  }

  /// A field of the record that can't be changed.
  public subscript<Value>(dynamicMember field: KeyPath<Model, Value>) -> Value {
    model[keyPath: field]
  }

  /// What its user has changed.
  ///
  /// - Throws: `EncodingError`.
  public func changes() throws -> [Document.FieldChange] {
    try Document.changes(from: base, to: model, under: Model.rules.collection)
  }
}
