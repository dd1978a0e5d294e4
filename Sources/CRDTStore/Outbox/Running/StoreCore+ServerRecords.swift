import CRDTKit

extension StoreCore {
  /// The result of applying a server's records.
  struct Intake {
    /// The records that changed.
    var changed: Set<Document.RecordID> = []
    /// Records that no document can hold, and why.
    var refused: [(record: Document.RecordID, reason: String)] = []
  }

  /// Applies a server's records in memory, with other values to store in the same commit.
  ///
  /// The authority writes them. It has seen what it has acknowledged, but no pending or
  /// rejected operation. The rules of the fields therefore decide what is shown, and no
  /// edit is lost. The server's times are used, but limited to the local time, whatever its
  /// clock shows. Without a time, the server's value is older than pending edits. A record
  /// that can't be held is skipped, so that it does not block the others. Requires the
  /// monitor's lock.
  func takeIn(
    _ records: [Outbox.ServerRecord], keeping local: [LocalChange] = []
  ) throws -> Intake {
    var kept = local
    var news: [IncomingRecord] = []
    let records = records.map { inOwnForms($0) }
    // If a record occurs more than once, the last one is the server's.
    let places = Dictionary(records.indices.map { (records[$0].record, $0) }) { $1 }
    for (place, server) in records.enumerated() where places[server.record] == place {
      let known = serverVersions[server.record]
      if let known, known.covers(server) { continue }
      let entry = ServerVersions.Entry(
        version: server.version, isDeleted: server.isDeleted,
        fields: ServerFields(server), texts: texts(of: server), isTakenIn: true,
        mayHoldRefused: outbox.holdsRefused(of: server.record))
      kept.append(ServerVersions.change(server.record, entry))
      let unheard = outbox.unheard(of: server.record)
      let birth = birth(of: server.record, in: unheard)
      news.append(
        IncomingRecord(
          server: server, entry: entry, isAnew: known?.isDeleted == true,
          shown: known?.texts.strings ?? [:], unheard: unheard,
          unheardEvents: EventRanges(of: identity.replica, in: unheard), birth: birth,
          settled: birth == nil ? settledEvents(of: server.record, in: unheard) : [],
          rewritten: rewrittenFields(of: server, since: known, besides: unheard),
          unchanged: unchangedFields(of: server, since: known?.fields)
            .union(ownFields(in: server))))
    }
    guard !kept.isEmpty else { return Intake() }
    let bases = news.map { one in
      // What was changed before the record was made anew here is no part of it.
      var base = base(of: one.server.record, without: one.unheardSinceBirth)
      for name in one.rewritten {
        base[name] =
          working.document.fields(
            of: one.server.record.record, in: one.server.record.collection)?[name]
      }
      return base
    }
    for (place, base) in bases.enumerated() {
      // A value that is equal to a pending one is not another value either.
      if !news[place].unheard.isEmpty {
        let record = news[place].server.record
        let shown = working.document.fields(of: record.record, in: record.collection)
        news[place].server.takeKinds(of: shown ?? [:])
      }
      news[place].server.takeKinds(of: base)
    }
    var intake = Intake()
    var isKept = false
    let (own, authority) = (identity.replica, options.authority)
    _ = try editLocked(
      .relaxed, as: authority.delegate(for: own),
      local: { _ in
        isKept = true
        return kept
      },
      { editor in
        for (one, base) in zip(news, bases) {
          let isSeen = { (dot: Dot) -> Bool in
            if dot.replica.principal == authority { return true }
            guard dot.replica == own else { return false }
            return !one.unheardEvents.contains(dot.counter) || one.settled.contains(dot)
          }
          let record = one.server.record
          do {
            let isChanged = try editor.takeIn(
              one.server, isAnew: one.isAnew, except: one.unchanged, besides: own, base: base,
              shown: one.shown, seeing: isSeen)
            if isChanged { intake.changed.insert(record) }
          } catch {
            intake.refused.append((record, "\(error)"))
          }
        }
      })
    if !isKept { _ = commitLocally(kept, .relaxed) }
    for one in news { serverVersions[one.server.record] = one.entry }
    for (record, reason) in intake.refused { tell(.serverRecordRefused(record, reason: reason)) }
    return intake
  }

  /// The events of operations that the server has not applied which have written what the
  /// operations no longer tell: parts that the server has, or that have lost.
  ///
  /// Of a record made anew, the server has seen nothing, even where it has equal values.
  private func settledEvents(
    of record: Document.RecordID, in unheard: [Outbox.Operation]
  ) -> Set<Dot> {
    guard !unheard.isEmpty, unheard.allSatisfy({ $0.kind == .update }) else { return [] }
    let writes = working.document.writes(in: record, by: identity.replica)
    return Set(
      writes.lazy.filter { dot, path in
        let operations = unheard.filter { $0.covers(dot) }
        return !operations.isEmpty
          && !operations.contains { $0.changes.contains { $0.path.isRelated(to: path) } }
      }.map(\.dot))
  }

  /// The index of the last operation that made the record, if it is among those that the
  /// server has not applied.
  private func birth(of record: Document.RecordID, in unheard: [Outbox.Operation]) -> Int? {
    if unheard.isEmpty { return nil }
    let births = working.document.births(of: record)
    return unheard.lastIndex { operation in births.contains { operation.covers($0) } }
  }

  /// The top-level names of fields that the server has not changed since its last answer
  /// about them, whatever happened to them here.
  ///
  /// A count may also come from a peer, so it is compared each time.
  private func unchangedFields(
    of server: Outbox.ServerRecord, since known: ServerFields?
  ) -> Set<String> {
    guard let known else { return [] }
    let counted = countedFields(in: server.record.collection)
    if counted.contains("*") { return [] }
    return Set(
      server.fields.keys.lazy.filter { name in
        !counted.contains(name) && known.contains(name, of: server)
      })
  }

  /// The top-level names of fields that the server says it has written since the last answer
  /// about them, while an assignment of them waits here.
  ///
  /// The server's value is then another write, even if it is the value from before.
  private func rewrittenFields(
    of server: Outbox.ServerRecord, since known: ServerVersions.Entry?,
    besides unheard: [Outbox.Operation]
  ) -> [String] {
    guard let known, known.isTakenIn, !server.fieldMilliseconds.isEmpty else { return [] }
    let waiting = Set(
      unheard.lazy.filter { $0.kind == .update && $0.failure == nil }.flatMap(\.changes)
        .filter { $0.isAssignment && $0.path.names.count == 1 }.compactMap(\.path.names.first))
    return waiting.filter { name in
      server.fieldMilliseconds[name] != nil && !known.fields.contains(name, of: server)
    }
  }

  /// The top-level names of fields whose values come from operations in doubt, whose answers
  /// were lost.
  ///
  /// They would look like someone else's changes, and could win over later edits here.
  private func ownFields(in server: Outbox.ServerRecord) -> Set<String> {
    let changes = outbox.inDoubt(of: server.record).flatMap(\.changes)
    return Set(
      changes.compactMap { change in
        guard case .assign(let value, _) = change.change, let name = change.path.names.first,
          change.path.names.count == 1, server.fields[name]?.isWorth(value) == true
        else { return nil }
        return name
      })
  }

  /// The top-level names of fields that are counters, or may contain some.
  private func countedFields(in collection: String) -> Set<String> {
    let rules = working.document.schema.collections[collection]?.fields ?? [:]
    return Set(rules.compactMap { $0.value == .counter ? $0.key.names.first : nil })
  }

  /// A record to apply.
  private struct IncomingRecord {
    var server: Outbox.ServerRecord
    var entry: ServerVersions.Entry
    /// Whether the server had deleted the record, so that this is another one of its name.
    var isAnew: Bool
    /// The texts that the server has shown before.
    var shown: [FieldPath: String]
    /// The operations that the server has not applied.
    var unheard: [Outbox.Operation]
    /// The events of these.
    let unheardEvents: EventRanges
    /// The index of the one among these that made the record, if any did.
    var birth: Int?
    /// Events of these that count as applied all the same.
    var settled: Set<Dot>
    /// The fields that the server has written again beside these.
    var rewritten: [String]
    /// The fields that the server has not changed.
    var unchanged: Set<String>

    /// The operations from the one on that created the record; all if it is not among them.
    ///
    /// An update that made the record anew names the values that it replaced.
    var unheardSinceBirth: [Outbox.Operation] {
      guard let birth, unheard[birth].kind == .create else { return unheard }
      return Array(unheard[birth...])
    }
  }

  /// The value of a text or list without a change of it: what others have changed since stays.
  ///
  /// `nil` if the change made it, and nobody has changed it since.
  func value(
    _ held: Document.Value, without after: Document.Value, _ before: Document.Value?,
    at path: FieldPath, of record: Document.RecordID
  ) -> Document.Value? {
    if held == after { return before }
    let none: Document.Value = if case .string = held { "" } else { [] }
    func tree(_ value: Document.Value) -> Document.Value {
      path.names.reversed().reduce(value) { .object([$1: $0]) }
    }
    let merge = ThreeWayMerge(
      base: tree(after), ours: tree(held), theirs: tree(before ?? none),
      rules: working.document.schema.collections[record.collection] ?? Schema.Collection())
    guard case .object(let fields)? = merge.value else { return before }
    return fields.value(at: path)
  }

  /// The fields of a record without the operations that the server has not applied.
  func base(
    of record: Document.RecordID, without operations: [Outbox.Operation]
  ) -> [String: Document.Value] {
    var fields = heldFields(of: record)
    let rules = working.document.schema.collections[record.collection] ?? Schema.Collection()
    // For a restored record, use only differences from the previous values, because they
    // add to the rest.
    let changes = operations.map { operation in
      operation.kind == .update
        ? operation.changes
        : operation.changes.flatMap { $0.before == nil ? [$0] : $0.differences(under: rules) }
    }
    for change in changes.reversed().flatMap({ $0.reversed() }) {
      var inverse = change.inverse
      if case .assign(let after, let before) = change.change,
        isEditedTogether(change.path, of: record), let held = fields.value(at: change.path),
        let value = value(held, without: after, before, at: change.path, of: record)
      {
        inverse = Document.FieldChange(change.path, .assign(value, before: nil))
      }
      fields.apply([inverse])
    }
    // If the server's value is one of several, it is the base. What a restored record has
    // unchanged was not written beside the server's value.
    let written = zip(operations, changes).flatMap { operation, changes in
      operation.kind == .update ? changes : changes.filter(\.makesDifference)
    }
    for change in written
    where change.isAssignment && !isEditedTogether(change.path, of: record) {
      let known = working.document.alternatives(
        of: change.path, of: record.record, in: record.collection
      ).first { $0.replica.principal == options.authority }
      guard let known else { continue }
      fields.apply([Document.FieldChange(change.path, .assign(known.value, before: nil))])
    }
    return fields
  }
}

extension Outbox.ServerRecord {
  /// Gives numbers the kinds that they have in known fields, because JSON has only one
  /// kind.
  fileprivate mutating func takeKinds(of known: [String: Document.Value]) {
    for (name, value) in fields {
      if let old = known[name] { fields[name] = value.takingKinds(of: old) }
    }
  }
}

extension Document.Editor {
  /// Applies a server's record.
  ///
  /// Returns whether that changed anything.
  fileprivate mutating func takeIn(
    _ server: Outbox.ServerRecord, isAnew: Bool, except unchanged: Set<String>,
    besides own: ReplicaID, base: [String: Document.Value], shown: [FieldPath: String],
    seeing isSeen: (Dot) -> Bool
  ) throws -> Bool {
    let (record, collection) = (server.record.record, server.record.collection)
    if server.isDeleted {
      return seeing(isSeen) { edit in
        let time = server.time ?? edit.timeBeforeUnseen(of: record, in: collection, by: own)
        return edit.stamping(at: time) { $0.delete(record, in: collection) }
      }
    }
    let isNew = !contains(record, in: collection)
    // A record that the authority can't see is recreated with all its fields.
    let isKnown = seeing(isSeen) { $0.contains(record, in: collection) }
    if isNew, isAnew {
      // What the authority knew of the former record is no part of this one.
      seeing(isSeen) { edit in
        edit.stamping(at: server.time) { $0.create(anew: record, in: collection) }
      }
    }
    let news = isKnown ? server.fields.filter { !unchanged.contains($0.key) } : server.fields
    let fields = try takeIn(
      news, of: record, in: collection, besides: own, base: { isNew && isAnew ? nil : base[$0] },
      shown: shown, time: { server.time(of: $0) }, seeing: isSeen)
    return isNew || !fields.isEmpty
  }
}

extension StoreCore {
  private static let cursorArea = "cursor/"

  /// The cursor after a collection's last page.
  func cursor(of collection: String) -> [UInt8]? {
    monitor.withLock { local[Self.cursorArea + collection] }
  }

  /// Records the request of a page that follows a cursor.
  ///
  /// Returns its number.
  func beginPage(after cursor: [UInt8]?) -> Int {
    monitor.withLock { pagesUnderWay.begin(after: cursor) }
  }

  /// The change that lets the next page of a collection be the first.
  static func noCursorChange(_ collection: String) -> LocalChange {
    LocalChange(key: cursorArea + collection, value: nil)
  }

  /// Removes a page that is not applied.
  func endPage(_ number: Int) {
    monitor.withLock { _ = pagesUnderWay.end(number) }
  }

  /// Applies a page of a server's changes, in memory.
  ///
  /// Three kinds of records are skipped, and requested again. A record with an operation in
  /// doubt: the server's record may or may not include it, so a change could count twice,
  /// or be mistaken for a conflict. A record that the server has answered about since the
  /// page was requested: the page may be older. A record that waits to be recreated while
  /// the server still has it: its earlier contents are gone here, and can't be told from
  /// the server's changes.
  ///
  /// The cursor is stored if this page was applied completely and begins at the stored cursor:
  /// then all pages before it were applied, too. Returns how many records changed.
  func takeIn(
    _ page: Outbox.PullPage, _ number: Int, of collection: String, at now: UInt64
  ) throws -> Int {
    monitor.lock()
    defer { monitor.unlock() }
    let (start, overtaken) = pagesUnderWay.end(number)
    try checkWritable()
    // Records of another collection were not requested.
    let records = page.records.filter { $0.record.collection == collection }
    let settled = records.filter { server in
      let record = server.record
      if outbox.isInDoubt(record) || isChangedOnline(record) { return false }
      if isTakenIn(server) { return true }
      return !overtaken.contains(record) && (server.isDeleted || !outbox.isMakingAnew(record))
    }
    var local: [LocalChange] = []
    if settled.count == records.count, start == self.local[Self.cursorArea + collection] {
      if let cursor = page.cursor {
        local.append(LocalChange(key: Self.cursorArea + collection, value: cursor))
      }
      if !page.hasMore { local.append(Self.syncedChange(collection, at: now)) }
    }
    // Another page in progress may be older than this one.
    for record in settled { pagesUnderWay.note(record.record) }
    let news = settled.filter { !isTakenIn($0) }
    let changed = try takeIn(settled, keeping: local).changed.count
    for record in news { rebaseWaiting(on: record, at: now) }
    return changed
  }

  private func isTakenIn(_ server: Outbox.ServerRecord) -> Bool {
    serverVersions[server.record]?.covers(server) == true
  }
}
