import CRDTKit

extension StoreCore {
  /// The parts of an operation after the server's record was applied.
  struct Remainder {
    /// The operation with the changes that are still to be sent; `nil` if there are none.
    var operation: Outbox.Operation?
    /// The operation with only the changes that lost; `nil` if none did.
    var lost: Outbox.Operation?
  }

  /// The remaining changes of an operation after a server's record was applied.
  ///
  /// A change that the local record shows is still wanted. A change that the server has is
  /// done. Any other change has lost, to the server or to a later local write.
  func remainder(of operation: Outbox.Operation, on server: Outbox.ServerRecord) -> Remainder {
    let (record, collection) = (operation.record.record, operation.record.collection)
    let isPresent = working.document.contains(record, in: collection)
    var rebased = operation
    rebased.baseVersion = server.version
    if operation.kind == .delete, !isPresent || server.isDeleted {
      return Remainder(operation: server.isDeleted ? nil : rebased)
    }
    // Changes before a pending deletion must be present if the deletion loses. From here on
    // they count as the server's.
    let isToBeDeleted = outbox.operations(of: operation.record).contains { $0.kind == .delete }
    guard isPresent || (isToBeDeleted && !server.isDeleted) else {
      return Remainder(lost: operation)
    }
    if server.isDeleted {
      rebased.kind = .create
      rebased.changes = fieldsRemade(by: operation).assignments()
      return Remainder(operation: rebased)
    }
    rebased.kind = .update
    var changes = operation.changes
    if operation.kind != .update {
      // Send only differences from the previous values, because they add to the server's
      // values.
      let rules = working.document.schema.collections[collection] ?? Schema.Collection()
      changes = changes.flatMap { $0.differences(under: rules) }
    }
    let (wanted, lost) = sort(changes, of: operation.record, besides: server.fields)
    rebased.changes = wanted
    var loser = operation
    loser.changes = lost
    // A deletion that reaches this point has lost.
    let isLoser = operation.kind == .delete || !lost.isEmpty
    return Remainder(
      operation: wanted.isEmpty ? nil : rebased, lost: isLoser ? loser : nil)
  }

  /// The changes of a dead letter that are still wanted: those that no later write has
  /// replaced.
  func remainder(ofRetried letter: Outbox.Operation) -> Remainder {
    let record = letter.record
    let isPresent = working.document.contains(record.record, in: record.collection)
    let others = outbox.unheard(of: record).filter { $0.id != letter.id }
    if outbox.isPast(letter.id) { return Remainder(lost: letter) }
    if letter.kind == .delete {
      // If the server has no such record, and will not have it, there is nothing to delete.
      let isThere = serverVersions[record].map { !$0.isDeleted } ?? false
      let isNeeded = isThere || others.contains { $0.kind == .create }
      return isNeeded && !isPresent ? Remainder(operation: letter) : Remainder(lost: letter)
    }
    // A pending deletion may lose, and then the record keeps these changes.
    guard isPresent || others.contains(where: { $0.kind == .delete }) else {
      return Remainder(lost: letter)
    }
    if letter.kind == .create {
      var retried = letter
      retried.changes = fieldsRemade(by: letter).assignments()
      return Remainder(operation: retried)
    }
    var (retried, loser) = (letter, letter)
    (retried.changes, loser.changes) = sort(letter.changes, of: record, besides: nil)
    return Remainder(
      operation: retried.changes.isEmpty ? nil : retried,
      lost: loser.changes.isEmpty ? nil : loser)
  }

  /// Whether a field is a text or a list by its rule: what others have changed in it stays.
  func isEditedTogether(_ path: FieldPath, of record: Document.RecordID) -> Bool {
    switch working.document.schema.collections[record.collection]?.rule(of: path) {
    case .text, .list: true
    default: false
    }
  }

  /// The changes of a record that are still wanted, and those that lost; without those that
  /// the server is known to have.
  private func sort(
    _ changes: [Document.FieldChange], of record: Document.RecordID,
    besides there: [String: Document.Value]?
  ) -> (wanted: [Document.FieldChange], lost: [Document.FieldChange]) {
    let fields = heldFields(of: record)
    var (wanted, lost): ([Document.FieldChange], [Document.FieldChange]) = ([], [])
    for change in changes {
      let shown = fields.value(at: change.path)
      let known = there?.value(at: change.path)
      switch change.change {
      case .assign(_, let before) where isEditedTogether(change.path, of: record):
        // All that is there is wanted, with what others have changed in it.
        guard let shown, shown != known ?? .null else {
          if shown == nil { lost.append(change) }
          continue
        }
        wanted.append(Document.FieldChange(change.path, .assign(shown, before: known ?? before)))
      case .assign(let value, _):
        // A missing value reads as null.
        if there != nil, (known ?? .null).isWorth(value) { continue }
        let isShown =
          (shown ?? .null).isWorth(value) && !isInConflict(change.path, of: record)
        if isShown { wanted.append(change) } else { lost.append(change) }
      case .remove:
        if there != nil, known == nil { continue }
        let isShown = shown == nil && !isInConflict(change.path, of: record)
        if isShown { wanted.append(change) } else { lost.append(change) }
      case .increment:
        // What counts in an entry that is gone would make an entry of nothing else.
        let outer = FieldPath(Array(change.path.names.dropLast()))
        let isThere = outer.names.isEmpty || fields.value(at: outer) != nil
        if isThere { wanted.append(change) } else { lost.append(change) }
      case .insert(let elements):
        let held = shown.map { Set($0.elements) } ?? []
        let (left, gone) = (elements.filter(held.contains), elements.filter { !held.contains($0) })
        if !left.isEmpty { wanted.append(Document.FieldChange(change.path, .insert(left))) }
        if !gone.isEmpty { lost.append(Document.FieldChange(change.path, .insert(gone))) }
      case .take(let elements):
        let held = shown.map { Set($0.elements) } ?? []
        let (left, back) = (elements.filter { !held.contains($0) }, elements.filter(held.contains))
        if !left.isEmpty { wanted.append(Document.FieldChange(change.path, .take(left))) }
        if !back.isEmpty { lost.append(Document.FieldChange(change.path, .take(back))) }
      }
    }
    return (wanted, lost)
  }

  private func isInConflict(_ path: FieldPath, of record: Document.RecordID) -> Bool {
    working.document.conflict(of: path, of: record.record, in: record.collection) != nil
  }

  /// The contents of a record that an operation recreates, without the changes of other
  /// operations, which are sent later.
  private func fieldsRemade(by operation: Outbox.Operation) -> [String: Document.Value] {
    let record = operation.record
    let queued = outbox.unheard(of: record)
    let place = queued.firstIndex { $0.id == operation.id } ?? 0
    let reached = base(of: record, without: Array(queued.dropFirst(place + 1)))
    guard place > 0 else { return reached }
    // Earlier operations are dead letters, or are sent after this one. Without them, the
    // fields that they changed have their previous values, and so have those that this
    // operation changed since: it makes that change again.
    var fields = base(of: record, without: queued)
    fields.apply(
      operation.changes.map { change in
        guard change.isAssignment else { return change }
        let value = reached.value(at: change.path)
        let kind = value.map { Document.FieldChange.Kind.assign($0, before: nil) }
        return Document.FieldChange(change.path, kind ?? .remove(before: nil))
      })
    return fields
  }
}

extension Document.Value {
  /// The elements of an array; none for other values.
  fileprivate var elements: [Document.Value] {
    if case .array(let elements) = self { elements } else { [] }
  }
}
