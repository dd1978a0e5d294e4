import CRDTKit

extension Store.Transaction {
  /// Undoes what a commit did, and nothing else.
  ///
  /// An undo reverses the commit's counts, removes the elements that it inserted, deletes
  /// the records that it created, and restores those that it deleted. A value that it
  /// assigned goes away. The field then shows what others have written concurrently or, if
  /// there is nothing, the value from before.
  ///
  /// An undo doesn't touch what no longer belongs to the commit, and lists it in the
  /// receipt's ``Store/Receipt/omissions``: fields that were assigned since, even with the same
  /// value; a record or a nested object that the commit created and others have since
  /// written in; and a record that is deleted, or was created anew under its name. Resolved
  /// conflicts, discarded orphans and records that are kept in this store only are not
  /// undone.
  ///
  /// - Throws: ``RecordError/undone(_:)`` if the commit was undone before, also before the
  ///   store was last opened. The store knows the 512 latest undone commits of each
  ///   replica, and refuses older ones as ``RecordError/undoForgotten(_:)``.
  ///   ``RecordError``; the errors of `validate()`.
  public mutating func undo(_ receipt: Store.Receipt) throws {
    guard let events = receipt.events, let dot = receipt.dot else { return }
    if undone.contains(dot) { throw RecordError.undone(dot) }
    try UndoneCommits(of: dot.replica, in: core.local).check(dot.counter, of: dot.replica)
    let before = (staged, origins, records, sharing, outcomesBeforeDeletion, omissions)
    do {
      let events = Document.CommitEvents(of: receipt.replica, events)
      for (change, mark) in receipt.joinedChanges.reversed() {
        try undo(change, of: events, knowing: mark)
      }
    } catch {
      (staged, origins, records, sharing, outcomesBeforeDeletion, omissions) = before
      throw error
    }
    // A commit of which nothing could be undone may be undone another time.
    if staged.count > before.0.count { undone.append(dot) }
  }

  private mutating func undo(
    _ change: StagedChange, of events: Document.CommitEvents, knowing mark: Document.CommitMark
  ) throws {
    let record = change.record
    try requireShared(record)
    if RevertedCommits(of: record, in: core.local).contains(events) {
      return leave(record, .changedSince)
    }
    switch change {
    case .create, .restore, .restoreOrphan:
      guard contains(record), !isLocal(record) else { return leave(record, .deleted) }
      guard stagedDocument(for: record).isOwn(record, of: events, knowing: mark) else {
        return leave(record, .changedSince)
      }
      stageDeletion(of: record)
    case .delete:
      if case .deleted? = records[record] { return leave(record, .deleted) }
      guard stagedDocument(for: record).isDeleted(record, by: events) else {
        return leave(record, contains(record) ? .replaced : .deleted)
      }
      stageRestoration(of: record)
    case .update(_, [], making: _), .resolve, .discardOrphan: leave(record, .notUndoable)
    case .update(_, let changes, let made), .revise(_, let changes, let made, seen: _):
      try undo(changes, making: made, of: events, knowing: mark, in: record)
    case .takeBack: break
    }
  }

  /// Whether a record is still the one that some events made.
  func isSame(_ record: Document.RecordID, madeBy births: [Dot]) -> Bool {
    let present = stagedDocument(for: record).births(of: record)
    return births.isEmpty || present.isEmpty || present.contains(where: births.contains)
  }

  mutating func leave(
    _ record: Document.RecordID, _ reason: Store.Receipt.Reason, _ field: FieldPath? = nil
  ) {
    let omission = Store.Receipt.Omission(record: record, field: field, reason: reason)
    if !omissions.contains(omission) { omissions.append(omission) }
  }

  /// Undoes what a commit did to the fields of a record.
  mutating func undo(
    _ changes: [Document.FieldChange], making made: [FieldPath] = [],
    of events: Document.CommitEvents, knowing mark: Document.CommitMark = .init(),
    in record: Document.RecordID
  ) throws {
    let (document, putBack) = staging(of: record)
    guard !isLocal(record), let before = document.fields(of: record.record, in: record.collection)
    else { return leave(record, .deleted) }
    let entry = models[record.collection]
    var back = StagedChange.TakeBack(
      changes: changes, made: made, events: events, mark: mark, result: .init(), differences: [])
    var after = try tryOut(&back, in: record, of: document, putBack)
    if let type = entry?.type, type.canRead(before), !type.canRead(after) {
      // Some of it was removed from values that others have changed.
      let names = Set(changes.compactMap(\.path.names.first)).sorted { $0.comes(before: $1) }
      back.changes = []
      for name in names {
        var attempt = back
        attempt.changes = changes.filter { change in
          change.path.names.first == name || back.changes.contains(change)
        }
        let fields = try tryOut(&attempt, in: record, of: document, putBack)
        if type.canRead(fields) { back = attempt } else { leave(record, .unreadable, [name]) }
      }
      after = try tryOut(&back, in: record, of: document, putBack)
    }
    let isSame = document.isSame(record, of: events, knowing: mark)
    for path in back.result.left { leave(record, isSame ? .changedSince : .replaced, path) }
    guard !back.result.done.isEmpty else { return }
    let rules = document.schema.collections[record.collection]
    let isSet = { path in document.holdsSet(path, of: record.record, in: record.collection) }
    back.differences = Document.differences(
      from: before, to: after, under: rules, isSet: isSet)
    try entry?.type.validate(after)
    staged.append(.takeBack(record, back))
    origins[record] = nil
    records[record] = .fields(after)
  }

  /// The fields of a record after a trial undo.
  private func tryOut(
    _ back: inout StagedChange.TakeBack, in record: Document.RecordID, of document: Document,
    _ putBack: Document.PutBackRows
  ) throws(RecordError) -> [String: Document.Value] {
    var copy = document
    copy.edit(at: latestStamp) { edit in
      edit.putBack = putBack
      back.result = edit.takeBack(
        back.changes, making: back.made, of: back.events, knowing: back.mark, in: record)
    }
    if let path = back.result.overflow { throw .counterOverflow(record, path) }
    return copy.fields(of: record.record, in: record.collection) ?? [:]
  }
}

extension Store.Receipt {
  /// The changes with their marks, where consecutive changes of a record's fields are joined.
  ///
  /// An undo goes back to before the first of the joined changes.
  fileprivate var joinedChanges: [(change: StagedChange, mark: Document.CommitMark)] {
    var joined: [(change: StagedChange, mark: Document.CommitMark)] = []
    for (change, mark) in zip(changes, marks) {
      guard case .update(let record, let fields, let made) = change, !fields.isEmpty,
        let place = joined.lastIndex(where: { $0.change.record == record }),
        case .update(_, var all, let before) = joined[place].change, !all.isEmpty
      else {
        joined.append((change, mark))
        continue
      }
      all.join(fields)
      joined[place].change = .update(record, all, making: before + made)
      joined[place].mark.fields += mark.fields
      joined[place].mark.replaced += mark.replaced
      // Each tells what the whole commit has removed.
      joined[place].mark.texts += mark.texts
    }
    return joined
  }
}

extension Store {
  /// Undoes what a commit did, and nothing else.
  ///
  ///     let undoing = try await store.undo(receipt)
  ///     for omission in undoing.omissions { print("not undone: \(omission)") }
  ///
  /// See ``Store/Transaction/undo(_:)``.
  ///
  /// - Returns: The receipt of the undo, which you can undo too, with what could not be
  ///   undone.
  /// - Throws: ``RecordError/undone(_:)`` if the commit was undone before; ``RecordError``;
  ///   the errors of `validate()`; ``StoreError``.
  @discardableResult
  public nonisolated(nonsending) func undo(_ receipt: Store.Receipt) async throws -> Store.Receipt {
    try await write { try $0.undo(receipt) }
  }

  /// Undoes what a commit did, and nothing else, and waits in place.
  @discardableResult
  public func undo(_ receipt: Store.Receipt) throws -> Store.Receipt {
    try write { try $0.undo(receipt) }
  }
}

/// The commits that were undone here, so that none is undone twice.
///
/// The latest ones of each replica are known one by one. Commits before these can't be
/// undone any more.
struct UndoneCommits {
  /// The number of commits that are known one by one.
  static var countMax: Int { 512 }

  private static var area: String { "undone/" }

  /// The last events of the commits, in ascending order.
  private(set) var counters: [UInt64] = []
  /// The greatest counter that was dropped from the list.
  private(set) var floor: UInt64 = 0

  /// The undone commits of a replica, from local values.
  init(of replica: ReplicaID, in local: LocalValues) {
    guard let bytes = local[Self.area + replica.description] else { return }
    var reader = ByteReader(bytes)
    var last: UInt64 = 0
    while reader.remaining > 0, let difference = try? reader.readVarint() {
      last &+= difference
      counters.append(last)
    }
    floor = counters.isEmpty ? 0 : counters.removeFirst()
  }

  /// Throws if a commit was undone, or may have been.
  func check(_ counter: UInt64, of replica: ReplicaID) throws(RecordError) {
    if counters.contains(counter) { throw .undone(Dot(replica, counter)) }
    if counter <= floor { throw .undoForgotten(Dot(replica, counter)) }
  }

  mutating func insert(_ counter: UInt64) {
    let place = counters.firstIndex { $0 > counter } ?? counters.count
    counters.insert(counter, at: place)
    if counters.count > Self.countMax { floor = counters.removeFirst() }
  }

  /// The local changes that record some more undone commits.
  static func changes(adding dots: [Dot], to local: LocalValues) -> [LocalChange] {
    Dictionary(grouping: dots, by: \.replica).sorted { $0.key < $1.key }.map { replica, dots in
      var commits = UndoneCommits(of: replica, in: local)
      for dot in dots { commits.insert(dot.counter) }
      var writer = ByteWriter()
      var last: UInt64 = 0
      for counter in [commits.floor] + commits.counters {
        writer.write(varint: counter - last)
        last = counter
      }
      return LocalChange(key: area + replica.description, value: writer.finish())
    }
  }
}
