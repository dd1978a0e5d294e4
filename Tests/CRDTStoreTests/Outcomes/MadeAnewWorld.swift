import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A record of three fields.
struct AnewNote: Codable, Identifiable, Replicated {
  let id: String
  var a: String?
  var b: String?
  var c: String?

  static let collection = "anew"
  static let serverAccess = ServerAccess.queued
  static var rules: Rules { Rules([CodingKeys: Schema.FieldRule](), deletion: deletion) }
  @TaskLocal static var deletion = Schema.DeletionRule.updateWins

  mutating func set(_ name: String, to value: String) {
    switch name {
    case "a": a = value
    case "b": b = value
    default: c = value
    }
  }
}

/// A server with one record, which it answers `conflict` about where an app hasn't heard of
/// its version, or changes what is deleted.
struct AnewServer {
  var version = 0
  var isDeleted = false
  var fields: [String: (value: String, written: UInt64)] = [:]
  var modified: UInt64 = 0

  mutating func change(_ now: UInt64, _ body: (inout AnewServer) -> Void) {
    body(&self)
    version += 1
    modified = now
  }

  func record(_ times: ReferenceServer.Times) -> Outbox.ServerRecord {
    let fields = isDeleted ? [:] : fields
    return Outbox.ServerRecord(
      record: MadeAnewWorld.record, version: "\(version)",
      fields: fields.mapValues { .string($0.value) }, isDeleted: isDeleted,
      modifiedMilliseconds: times == .none ? nil : modified,
      fieldMilliseconds: times == .ofFields ? fields.mapValues(\.written) : [:])
  }

  /// Does what an app asks for, if it knows the record.
  mutating func accepts(_ envelope: Outbox.Envelope, _ now: UInt64) -> Bool {
    let isKnown = version == 0 || envelope.baseVersion == "\(version)"
    if !isKnown || isDeleted && envelope.kind == .update { return false }
    change(now) { server in
      if server.isDeleted { server.fields = [:] }
      server.isDeleted = envelope.kind == .delete
      if server.isDeleted { return }
      for change in envelope.changes {
        guard let name = change.path.names.first else { continue }
        // An absent field may be told as null.
        guard case .assign(.string(let value), _) = change.change else {
          server.fields[name] = nil
          continue
        }
        if server.fields[name]?.value != value { server.fields[name] = (value, now) }
      }
    }
    return true
  }
}

/// Apps with a store each, and their server.
final class MadeAnewWorld {
  struct App {
    var store: Store
    var outbox: SteppedOutbox
    /// The events that it knows.
    var known: Set<Int> = []
    /// What it has heard from the server.
    var heard: AnewHeard?
    /// The operations that it may have sent before it was opened again.
    var doubtful: Set<Outbox.OperationID> = []
  }

  static let record = Document.RecordID("r", in: AnewNote.collection)
  static let authority = ReplicaID.authority(named: "server")

  let setting: MadeAnewSetting
  let stores = TestStores()
  var apps: [App] = []
  var server = AnewServer()
  var history: AnewHistory

  init(_ setting: MadeAnewSetting) async throws {
    self.setting = setting
    history = AnewHistory(rule: setting.deletion)
    for place in 0..<setting.apps {
      let store = try await open(place)
      apps.append(App(store: store, outbox: SteppedOutbox(store)))
    }
  }

  private func open(_ place: Int) async throws -> Store {
    try await AnewNote.$deletion.withValue(setting.deletion) { [options = stores.options] in
      try await Store.open(at: "/\(place)", for: AnewNote.self, options: options)
    }
  }

  /// Lets the steps happen, then lets all hear all; says what is wrong, `nil` if nothing is.
  static func play(
    _ steps: [MadeAnewStep], _ setting: MadeAnewSetting
  ) async throws -> String? {
    let world = try await MadeAnewWorld(setting)
    let all = MadeAnewStep.beginning(setting) + steps
    for (number, step) in (all + MadeAnewStep.healing(setting)).enumerated() {
      try await world.perform(step)
      if let wrong = world.discrepancy() { return "after step \(number), \(step): \(wrong)" }
    }
    for app in world.apps { try await app.store.close() }
    return world.disagreement()
  }

  private func discrepancy() -> String? {
    for (place, app) in apps.enumerated() {
      let shown = app.store.document.fields(of: "r", in: AnewNote.collection)
      let wanted = history.fields(history.standing(app.known))
      if shown != wanted { return "\(place) shows \(text(shown)), not \(text(wanted))" }
    }
    return nil
  }

  /// How apps differ that have heard all; where they are no peers, from the server.
  ///
  /// A field that the server doesn't speak of says nothing: apps may still have it that never
  /// heard of the former record's end.
  private func disagreement() -> String? {
    let all = apps.map { $0.store.document.fields(of: "r", in: AnewNote.collection) }
    let there = server.isDeleted ? nil : server.record(.none).fields
    for (place, shown) in all.enumerated() {
      let wanted = setting.hasPeers ? all[0] : there
      let told = setting.hasPeers ? shown : shown?.filter { wanted?[$0.key] != nil }
      if told != wanted { return "\(place) ends with \(text(shown)), not \(text(wanted))" }
    }
    return nil
  }

  private func text(_ fields: [String: Document.Value]?) -> String {
    guard let fields else { return "nothing" }
    return fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: " ")
  }
}

extension MadeAnewWorld {
  private var now: UInt64 { stores.clock.milliseconds }
  private var serverNow: UInt64 { UInt64(Int64(now) + Int64(setting.skew)) }

  private func perform(_ step: MadeAnewStep) async throws {
    stores.clock.milliseconds += 10
    let (place, names, value) = (step.app, step.names, step.value)
    switch step.kind {
    case .write, .delete, .restore, .create: try await edit(step)
    case .exchange:
      guard place != step.other else { return }
      let (from, to) = (apps[place].store, apps[step.other].store)
      let delta = from.document.delta(since: to.document.version)
      _ = try await to.apply(delta)
      apps[step.other].known.formUnion(apps[place].known)
    case .reopen:
      try await apps[place].store.close()
      apps[place].store = try await open(place)
      apps[place].outbox = SteppedOutbox(apps[place].store)
      apps[place].doubtful = Set(apps[place].outbox.pending.map(\.id))
    case .pull: try pull(place)
    case .push: try push(place)
    case .editThere, .giveAnew:
      guard server.version > 0, server.isDeleted == (step.kind == .giveAnew) else { return }
      let time = serverNow
      server.change(time) { server in
        let former = server.fields
        if server.isDeleted { server.fields = ["id": ("r", time)] }
        server.isDeleted = false
        for name in names {
          let value = step.keepsValues ? former[name]?.value ?? value : value
          if server.fields[name]?.value != value { server.fields[name] = (value, time) }
        }
      }
    case .deleteThere:
      guard server.version > 0, !server.isDeleted else { return }
      server.change(serverNow) { $0.isDeleted = true }
    }
  }

  /// What the queue of an app says that the server hasn't heard.
  private func unheard(
    _ operations: [Outbox.Operation], at place: Int
  ) -> (AnewHistory.Event, AnewHistory.Part) -> Bool {
    let births = history.standing(apps[place].known).map { history.rows[$0] }
      .filter { $0.part == .birth }.compactMap { history.events[$0.event].dot }
    let isWhole =
      operations.contains { $0.kind != .update }
      || births.contains { dot in operations.contains { $0.covers(dot) } }
    return { event, part in
      guard let dot = event.dot else { return false }
      let telling = operations.filter { $0.covers(dot) }
      guard case .field(let name) = part, !isWhole else { return !telling.isEmpty }
      return telling.contains { $0.changes.contains { $0.path.names == [name] } }
    }
  }

  private func finish(_ draft: AnewEvent, at place: Int) {
    if draft.event.made.isEmpty, draft.event.ended.isEmpty { return }
    history = draft.history
    apps[place].known.insert(history.events.count)
    history.events.append(draft.event)
  }

  private func edit(_ step: MadeAnewStep) async throws {
    let store = apps[step.app].store
    var draft = AnewEvent(
      of: store.replica, at: now << 16, knowing: apps[step.app].known, in: history)
    let isThere = history.isPresent(draft.standing)
    let births = history.rows(.birth, in: draft.standing)
    let deletions = history.rows(.deletion, in: draft.standing)
    let before = draft.standing
    let shown = history.fields(before) ?? [:]
    let (names, value) = (step.names, step.value)
    switch step.kind {
    case .write:
      let names = names.filter { shown[$0] != .string(value) }
      if !isThere || names.isEmpty { return }
      draft.end(deletions)
      for name in names { draft.state(.field(name), value) }
    case .create where !isThere:
      draft.makeAnew()
      for (name, value) in [("id", "r")] + names.map({ ($0, value) }) {
        draft.state(.field(name), value)
      }
    case .delete where isThere: draft.state(.deletion)
    case .restore where !isThere && !births.isEmpty: draft.end(deletions)
    default: return
    }
    let receipt = try await store.write { tx in
      switch step.kind {
      case .write:
        try tx.update(AnewNote.self, "r") { note in
          for name in names { note.set(name, to: value) }
        }
      case .create:
        var note = AnewNote(id: "r")
        for name in names { note.set(name, to: value) }
        try tx.create(note)
      case .delete: try tx.delete(AnewNote.self, "r")
      default: try tx.restore(AnewNote.self, "r")
      }
    }
    draft.event.dot = receipt.dot
    for name in shown.keys { draft.event.shown[name] = history.value(of: name, in: before) }
    finish(draft, at: step.app)
  }

  private func pull(_ place: Int) throws {
    let (app, record) = (apps[place], server.record(setting.times))
    let pending = app.outbox.pending
    let isMadeHere = pending.contains { $0.kind == .create }
    let (_, number) = app.outbox.beginPage(of: AnewNote.collection)
    let page = Outbox.PullPage(
      records: record.version == "0" ? [] : [record], cursor: nil, hasMore: false)
    try app.outbox.takeIn(page, number, of: AnewNote.collection)
    // Beside what the server may have done, and what waits to be made here, a record is taken
    // in with the answer to that.
    let isDoubtful = pending.contains { app.doubtful.contains($0.id) }
    if page.records.isEmpty || isDoubtful || !record.isDeleted && isMadeHere { return }
    hear(record, at: place, telling: pending)
  }

  private func push(_ place: Int) throws {
    let outbox = apps[place].outbox
    for _ in 0..<20 {
      guard let batch = try outbox.nextBatch(), let envelope = batch.envelopes.first else { return }
      let pending = outbox.pending
      apps[place].doubtful.remove(envelope.id)
      if server.accepts(envelope, serverNow) {
        let answer = Outbox.Outcome.accepted(serverVersion: "\(server.version)")
        try outbox.received([Outbox.Answer(envelope.id, answer)], for: batch)
        note(envelope, at: place)
      } else {
        let record = server.record(setting.times)
        try outbox.received(
          [Outbox.Answer(envelope.id, .conflict(server: record))], for: batch)
        apps[place].heard?.version = nil
        hear(record, at: place, telling: pending)
      }
    }
  }

  /// Notes that the server has done what an app asked for.
  private func note(_ envelope: Outbox.Envelope, at place: Int) {
    var heard = apps[place].heard ?? AnewHeard()
    (heard.version, heard.isWhole) = ("\(server.version)", false)
    heard.isDeleted = envelope.kind == .delete
    if heard.isDeleted { heard.fields = [:] }
    let waiting = apps[place].outbox.pending.flatMap(\.changes)
    let standing = history.standing(apps[place].known)
    for change in envelope.changes where !heard.isDeleted {
      guard let name = change.path.names.first else { continue }
      guard case .assign(let value, _) = change.change else {
        heard.fields[name] = nil
        continue
      }
      let isShown = history.value(of: name, in: standing).map { .string($0) } == value
      let isKnown = isShown || waiting.contains { $0.path == change.path }
      heard.fields[name] = isKnown ? (value, nil) : nil
    }
    apps[place].heard = heard
  }
}

extension MadeAnewWorld {
  /// What a field showed before what the server hasn't been told.
  private func base(
    of name: String, in standing: Set<Int>, at place: Int,
    without isUnheard: (AnewHistory.Event, AnewHistory.Part) -> Bool
  ) -> String? {
    let own = apps[place].store.replica
    let first = apps[place].known.sorted().map { history.events[$0] }.first { event in
      event.author == own && isUnheard(event, .field(name))
        && event.made.contains { history.rows[$0].part == .field(name) }
    }
    guard let first else { return history.value(of: name, in: standing) }
    // What the server wrote beside that is what it had.
    let theirs = history.rows(.field(name), in: standing).filter {
      history.events[history.rows[$0].event].author.principal == Self.authority
    }
    return history.value(of: name, in: theirs) ?? first.shown[name]
  }

  /// Takes in the server's record at an app, as what someone says who has seen what it has
  /// answered, and nothing that others wrote.
  private func hear(
    _ server: Outbox.ServerRecord, at place: Int, telling operations: [Outbox.Operation]
  ) {
    let app = apps[place]
    let own = app.store.replica
    if let heard = app.heard, heard.isWhole, heard.version == server.version { return }
    apps[place].heard = AnewHeard(server)
    let isUnheard = unheard(operations, at: place)
    let draft = AnewEvent(
      of: Self.authority.delegate(for: own), at: now << 16, knowing: app.known, in: history
    ) { event, part in
      event.author.principal == Self.authority || event.author == own && !isUnheard(event, part)
    }
    // What a record was that was made anew here, nobody knows any more.
    let isMadeHere = history.rows(.birth, in: draft.standing).contains { row in
      isUnheard(history.events[history.rows[row].event], .birth)
    }
    var base: [String: String] = [:]
    for name in server.fields.keys where !isMadeHere {
      base[name] = self.base(of: name, in: draft.standing, at: place, without: isUnheard)
    }
    let waiting = operations.filter { $0.kind == .update }.flatMap(\.changes)
    let sent = operations.filter { app.doubtful.contains($0.id) }.flatMap(\.changes)
    let unchanged = server.fields.keys.filter { name in
      app.heard?.holds(name, of: server) == true
        || sent.contains { change in
          guard case .assign(let value, _) = change.change else { return false }
          return change.path.names == [name] && value == server.fields[name]
        }
    }
    var hearing = AnewHearing(
      server: server, heard: app.heard, own: own, unchanged: Set(unchanged),
      waiting: Set(waiting.compactMap(\.path.names.first)), base: base, draft: draft)
    hearing.take()
    finish(hearing.draft, at: place)
  }
}
