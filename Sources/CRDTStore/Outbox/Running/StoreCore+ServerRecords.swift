import CRDTKit

extension StoreCore {
  /// What came of taking in records of a server.
  struct Intake {
    /// The records that came to be different.
    var changed: Set<Document.RecordID> = []
    /// Records that no document can hold, and why.
    var refused: [(record: Document.RecordID, reason: String)] = []
  }

  /// Takes in records as a server has them, in memory, with what else is kept in the
  /// same commit.
  ///
  /// They are written as the authority that saw what it has acknowledged, and nothing
  /// of what still waits in the outbox or was refused: so the rules of the fields say
  /// what is shown, and no edit is lost. What the server has is as old as it says, but
  /// not younger than now, however its clock goes; where it doesn't say, it is older than
  /// what waits. A record that can't be held is passed over, so
  /// that it doesn't keep others from coming. The monitor is held.
  func takeIn(
    _ records: [ServerRecord], keeping local: [LocalChange] = []
  ) throws -> Intake {
    var kept = local
    var news: [News] = []
    let records = records.map { inOwnForms($0) }
    // Of a record that comes more than once, the last is what the server has.
    let places = Dictionary(records.indices.map { (records[$0].record, $0) }) { $1 }
    for (place, server) in records.enumerated() where places[server.record] == place {
      let known = serverVersions[server.record]
      if let known, known.covers(server) { continue }
      let entry = ServerVersions.Entry(
        version: server.version, isDeleted: server.isDeleted,
        fields: ServerFields(server.fields), isTakenIn: true)
      kept.append(ServerVersions.change(server.record, entry))
      news.append(
        News(
          server: server, entry: entry, unheard: outbox.unheard(of: server.record),
          unchanged: unchangedFields(of: server, since: known?.fields)))
    }
    guard !kept.isEmpty else { return Intake() }
    let bases = news.map { base(of: $0.server.record, without: $0.unheard) }
    for (place, base) in bases.enumerated() {
      // What is worth the same as what waits here is no other value either.
      if !news[place].unheard.isEmpty {
        let record = news[place].server.record
        let shown = working.fields(of: record.record, in: record.collection)
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
            return dot.replica == own && !one.unheard.contains { $0.covers(dot) }
          }
          let record = one.server.record
          do {
            let isChanged = try editor.takeIn(
              one.server, except: one.unchanged, besides: own, base: base, seeing: isSeen)
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

  /// The outermost names of fields that the server has not changed since it said
  /// something of them, whatever became of them here.
  ///
  /// A count may have come from a peer as well, so its number is looked at each time.
  private func unchangedFields(
    of server: ServerRecord, since known: ServerFields?
  ) -> Set<String> {
    guard let known else { return [] }
    let counted = countedFields(in: server.record.collection)
    if counted.contains("*") { return [] }
    return Set(
      server.fields.lazy.filter { name, value in
        !counted.contains(name) && known.contains(value, of: name)
      }.map(\.key))
  }

  /// The outermost names of fields that are counters, or may have some within.
  private func countedFields(in collection: String) -> Set<String> {
    let rules = working.schema.collections[collection]?.fields ?? [:]
    return Set(rules.compactMap { $0.value == .counter ? $0.key.names.first : nil })
  }

  /// A record that is to be taken in.
  private struct News {
    var server: ServerRecord
    var entry: ServerVersions.Entry
    /// What the server hasn't heard of.
    var unheard: [OutboxOperation]
    /// The fields that it hasn't changed.
    var unchanged: Set<String>
  }

  /// The fields of a record without what the server hasn't heard of.
  func base(
    of record: Document.RecordID, without operations: [OutboxOperation]
  ) -> [String: Document.Value] {
    var fields = heldFields(of: record)
    let rules = working.schema.collections[record.collection] ?? Schema.Collection()
    // Of a record that was restored, only what differs from before adds up with the rest.
    let changes = operations.map { operation in
      operation.kind == .update
        ? operation.changes
        : operation.changes.flatMap { $0.before == nil ? [$0] : $0.differences(under: rules) }
    }
    for changes in changes.reversed() { fields.apply(changes.reversed().map(\.inverse)) }
    // Where the server's value is one of several, that is what it has.
    for change in changes.joined() where change.isAssignment {
      let known = working.alternatives(
        of: change.path, of: record.record, in: record.collection
      ).first { $0.replica.principal == options.authority }
      guard let known else { continue }
      fields.apply([Document.FieldChange(change.path, .assign(known.value, before: nil))])
    }
    return fields
  }
}

extension ServerRecord {
  /// Gives numbers the kinds that they have in fields that are known: JSON has but one.
  fileprivate mutating func takeKinds(of known: [String: Document.Value]) {
    for (name, value) in fields {
      if let old = known[name] { fields[name] = value.takingKinds(of: old) }
    }
  }
}

extension Document.Editor {
  /// Takes in a record of a server; says whether that made a difference.
  fileprivate mutating func takeIn(
    _ server: ServerRecord, except unchanged: Set<String>, besides own: ReplicaID,
    base: [String: Document.Value], seeing isSeen: (Dot) -> Bool
  ) throws -> Bool {
    let (record, collection) = (server.record.record, server.record.collection)
    if server.isDeleted {
      return seeing(isSeen) { edit in
        let time = server.time ?? edit.timeBeforeUnseen(of: record, in: collection, by: own)
        return edit.stamping(at: time) { $0.delete(record, in: collection) }
      }
    }
    let isNew = !contains(record, in: collection)
    // A record that the authority doesn't see is made anew, with all that it has.
    let isKnown = seeing(isSeen) { $0.contains(record, in: collection) }
    let news = isKnown ? server.fields.filter { !unchanged.contains($0.key) } : server.fields
    let fields = try takeIn(
      news, of: record, in: collection, besides: own, base: { base[$0] },
      time: { server.time(of: $0) }, seeing: isSeen)
    return isNew || !fields.isEmpty
  }
}

extension StoreCore {
  private static let cursorArea = "cursor/"

  /// Where the last page of a collection ended.
  func cursor(of collection: String) -> [UInt8]? {
    monitor.withLock { local[Self.cursorArea + collection] }
  }

  /// Notes that a page is asked for; gives its number.
  func beginPage() -> Int {
    monitor.withLock { pagesUnderWay.begin() }
  }

  /// Forgets a page that is not taken in.
  func endPage(_ number: Int) {
    monitor.withLock { _ = pagesUnderWay.end(number) }
  }

  /// Takes in a page of a server's changes, in memory.
  ///
  /// A record with an operation that is in doubt is left out, since what the server says
  /// may be with that or without: it would be counted twice, or held against what was
  /// changed here since. So is one of which the server has said something since the page
  /// was asked for, which may be from before that; and one that waits to be made anew,
  /// where the server has it still: what it held there is gone here, and can't be told
  /// from what the server has changed. They are asked for again.
  ///
  /// Where it ends is kept if all before it, and all of it, was taken in. Gives how many
  /// records came to be different, and whether none was left out.
  func takeIn(
    _ page: PullPage, _ number: Int, of collection: String, isGapless: Bool, at now: UInt64
  ) throws -> (changed: Int, isWhole: Bool) {
    monitor.lock()
    defer { monitor.unlock() }
    let overtaken = pagesUnderWay.end(number)
    try checkWritable()
    // What is of another collection was not asked for.
    let records = page.records.filter { $0.record.collection == collection }
    let settled = records.filter { server in
      let record = server.record
      if outbox.isInDoubt(record) || isChangedOnline(record) { return false }
      if isTakenIn(server) { return true }
      return !overtaken.contains(record) && (server.isDeleted || !outbox.isMakingAnew(record))
    }
    let isWhole = settled.count == records.count
    var local: [LocalChange] = []
    if isWhole, isGapless {
      if let cursor = page.cursor {
        local.append(LocalChange(key: Self.cursorArea + collection, value: cursor))
      }
      if !page.hasMore { local.append(Self.syncedChange(collection, at: now)) }
    }
    // Another page may be from before this one.
    for record in settled { pagesUnderWay.note(record.record) }
    let news = settled.filter { !isTakenIn($0) }
    let changed = try takeIn(settled, keeping: local).changed.count
    for record in news { rebaseWaiting(on: record, at: now) }
    return (changed, isWhole)
  }

  private func isTakenIn(_ server: ServerRecord) -> Bool {
    serverVersions[server.record]?.covers(server) == true
  }
}
