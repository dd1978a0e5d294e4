public import CRDTKit

extension Store {
  /// A record as a form shows it.
  ///
  /// It can stay open while others edit. When you commit it, it writes only the fields that
  /// its user has changed.
  ///
  ///     var form = try store.draft(Note.self, "n1")
  ///     form.title = "Full moon"
  ///     try await store.write { try $0.commit(form) }  // the title, and only that
  ///
  /// Changes that arrive meanwhile are neither reverted nor replaced. A field that both sides
  /// have changed has two concurrent values, and reads as its rule says.
  ///
  /// You can commit a draft once, and its copies count as the same draft. A second commit
  /// would count its increments again, and its assignments would conflict with themselves.
  /// For a form that stays open, make another draft.
  @dynamicMemberLookup
  public struct Draft<Model: Replicated>: Sendable {
    /// The record as it was when it was read.
    public let base: Model
    /// The record with its user's changes.
    public var model: Model
    /// The version of the document when the record was read.
    public let version: VersionVector
    /// The events that made the record: another record of its name has others.
    let births: [Dot]
    /// Whether the draft, or a copy of it, was committed.
    let isCommitted = Locked(false)

    init(_ base: Model, at version: VersionVector, madeBy births: [Dot]) {
      self.base = base
      model = base
      self.births = births
      self.version = version
    }

    /// A field of the record.
    public subscript<Value>(dynamicMember field: WritableKeyPath<Model, Value>) -> Value {
      get { model[keyPath: field] }
      set { model[keyPath: field] = newValue }
    }

    /// A read-only field of the record.
    public subscript<Value>(dynamicMember field: KeyPath<Model, Value>) -> Value {
      model[keyPath: field]
    }

    /// The changes that the user has made.
    ///
    /// - Throws: `EncodingError`.
    public func changes() throws -> [Document.FieldChange] {
      try Document.changes(from: base, to: model, under: Model.rules.collection)
    }
  }
}
