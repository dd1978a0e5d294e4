import CRDTKit
import CRDTStore

/// What happened, in a list: who wrote and ended what.
///
/// An app knows some of it. What it knows of and knows no end of stands there.
struct AnewHistory {
  enum Part: Hashable {
    case birth, deletion
    case field(String)
  }

  /// A statement, by the number of the event that made it.
  struct Row {
    let event: Int
    let part: Part
    let stamp: HybridTimestamp
    var value = ""
    /// What a deletion is about.
    var deleted: Set<Int> = []
  }

  struct Event {
    let author: ReplicaID
    var dot: Dot?
    var made: Set<Int> = []
    var ended: Set<Int> = []
    /// What its author saw before.
    var shown: [String: String] = [:]
  }

  let rule: Schema.DeletionRule
  var events: [Event] = []
  var rows: [Row] = []

  /// What stands for whom knows some events, without some of what they did.
  func standing(
    _ known: Set<Int>, except isLeftOut: (Event, Part) -> Bool = { _, _ in false }
  ) -> Set<Int> {
    var (made, ended): (Set<Int>, Set<Int>) = ([], [])
    for event in known.map({ events[$0] }) {
      made.formUnion(event.made.filter { !isLeftOut(event, rows[$0].part) })
      ended.formUnion(event.ended.filter { !isLeftOut(event, rows[$0].part) })
    }
    return made.subtracting(ended)
  }

  func rows(_ part: Part, in standing: Set<Int>) -> Set<Int> {
    standing.filter { rows[$0].part == part }
  }

  /// Whether the record is there where this stands.
  func isPresent(_ standing: Set<Int>) -> Bool {
    guard standing.contains(where: { rows[$0].part == .birth }) else { return false }
    let deletions = standing.filter { rows[$0].part == .deletion }.map { rows[$0] }
    guard let latest = deletions.map(\.stamp).max() else { return true }
    let others = standing.filter { row in
      rows[row].part != .deletion && !deletions.contains { $0.deleted.contains(row) }
    }
    switch rule {
    case .deleteWins: return false
    case .updateWins: return !others.isEmpty
    case .lastWriterWins: return others.contains { rows[$0].stamp > latest }
    }
  }

  /// The value of the latest of some rows about a field.
  func value(of name: String, in standing: Set<Int>) -> String? {
    standing.map { rows[$0] }.filter { $0.part == .field(name) }
      .max { ($0.stamp, $0.value) < ($1.stamp, $1.value) }?.value
  }

  func fields(_ standing: Set<Int>) -> [String: Document.Value]? {
    guard isPresent(standing) else { return nil }
    var fields: [String: Document.Value] = [:]
    for case .field(let name) in standing.map({ rows[$0].part }) {
      fields[name] = value(of: name, in: standing).map { .string($0) }
    }
    return fields
  }
}

/// An event that is being made, with what stands for who makes it.
struct AnewEvent {
  var history: AnewHistory
  var event: AnewHistory.Event
  let time: UInt64
  var standing: Set<Int>
  /// What its maker has seen of that.
  var seen: Set<Int>

  /// What someone does who knows some events, and has seen some of what they did.
  init(
    of author: ReplicaID, at time: UInt64, knowing known: Set<Int>, in history: AnewHistory,
    seeing isSeen: (AnewHistory.Event, AnewHistory.Part) -> Bool = { _, _ in true }
  ) {
    (self.history, self.time) = (history, time)
    event = AnewHistory.Event(author: author)
    standing = history.standing(known)
    seen = standing.filter { number in
      let row = history.rows[number]
      return isSeen(history.events[row.event], row.part)
    }
  }

  mutating func end(_ rows: Set<Int>) {
    event.ended.formUnion(rows)
    standing.subtract(rows)
    seen.subtract(rows)
  }

  /// States something in place of what was seen of it.
  mutating func state(_ part: AnewHistory.Part, _ value: String = "", at earlier: UInt64? = nil) {
    var row = AnewHistory.Row(
      event: history.events.count, part: part,
      stamp: HybridTimestamp(time: min(earlier ?? time, time), replica: event.author), value: value)
    if part == .deletion { row.deleted = seen.filter { history.rows[$0].part != .deletion } }
    end(history.rows(part, in: seen))
    let number = history.rows.count
    history.rows.append(row)
    event.made.insert(number)
    standing.insert(number)
    seen.insert(number)
  }

  /// Makes a record in place of all that was seen of a former one.
  mutating func makeAnew(at earlier: UInt64? = nil) {
    end(seen)
    state(.birth, at: earlier)
  }
}

/// What an app knows to be at the server, with the times that it was told.
struct AnewHeard {
  var version: String?
  var isDeleted = false
  /// Whether all of that version was heard.
  var isWhole = true
  var fields: [String: (value: Document.Value, written: UInt64?)] = [:]

  init() {}

  init(_ server: Outbox.ServerRecord) {
    (version, isDeleted) = (server.version, server.isDeleted)
    for (name, value) in server.fields {
      fields[name] = (value, server.fieldMilliseconds[name])
    }
  }

  /// Whether the server hasn't written a field since.
  func holds(_ name: String, of server: Outbox.ServerRecord) -> Bool {
    guard let field = fields[name], field.value == server.fields[name] else { return false }
    return field.written == nil || field.written == server.fieldMilliseconds[name]
  }
}

/// A server's record as an app hears it, beside what waits there.
struct AnewHearing {
  let server: Outbox.ServerRecord
  let heard: AnewHeard?
  let own: ReplicaID
  /// The fields that the server hasn't written since it was last heard.
  let unchanged: Set<String>
  /// The fields that the app waits to tell.
  let waiting: Set<String>
  /// What the record had as far as the server knows it.
  let base: [String: String]
  var draft: AnewEvent

  private var history: AnewHistory { draft.history }

  private func author(_ row: Int) -> ReplicaID {
    row < history.rows.count && history.rows[row].event < history.events.count
      ? history.events[history.rows[row].event].author : draft.event.author
  }

  private func time(_ milliseconds: UInt64?) -> UInt64? { milliseconds.map { $0 << 16 | 0xFFFF } }

  private func time(of name: String) -> UInt64? {
    time(server.fieldMilliseconds[name] ?? server.modifiedMilliseconds)
  }

  /// The moment before what waits here of something.
  private func before(_ parts: [AnewHistory.Part]?) -> UInt64? {
    draft.standing.subtracting(draft.seen).filter { row in
      author(row) == own && parts?.contains(history.rows[row].part) != false
    }.map { history.rows[$0].stamp.time }.min().map { $0 - 1 }
  }

  /// Lets the server write what it says, in place of what it has seen.
  mutating func take() {
    if server.isDeleted {
      guard history.isPresent(draft.seen) else { return }
      let said = time(server.modifiedMilliseconds)
      return draft.state(.deletion, at: said ?? before(nil))
    }
    let isShown = history.isPresent(draft.standing)
    let isOther = heard?.isDeleted == true && !isShown
    let isKnown = history.isPresent(draft.seen)
    if isOther, !isKnown { draft.makeAnew(at: time(server.modifiedMilliseconds)) }
    var former: Set<Int> = []
    if history.rows(.birth, in: draft.seen).isEmpty {
      former = draft.seen
      let times = server.fields.keys.map { time(of: $0) }
      draft.makeAnew(at: times.contains(nil) ? nil : times.compactMap(\.self).max())
    }
    draft.end(history.rows(.deletion, in: draft.seen))
    for (name, value) in server.fields.sorted(by: { $0.key < $1.key }) {
      guard case .string(let value) = value else { continue }
      if isKnown, unchanged.contains(name) { continue }
      take(name, value, isOther: isOther, isShown: isShown, former)
    }
  }

  private mutating func take(
    _ name: String, _ value: String, isOther: Bool, isShown: Bool, _ former: Set<Int>
  ) {
    let part = AnewHistory.Part.field(name)
    let lost = history.rows(part, in: former)
    let said =
      history.rows(part, in: draft.standing).union(lost)
      .filter { author($0).principal == draft.event.author.principal }
      .map { history.rows[$0].stamp.time }.max() ?? 0
    let replaced = history.rows(part, in: draft.seen).union(lost)
    let written =
      time(of: name).map { max($0, said) } ?? age(part, value, replacing: replaced)
      ?? before([part, .deletion])
    var base = isOther ? nil : base[name]
    if !isOther, waiting.contains(name), server.fieldMilliseconds[name] != nil,
      heard?.isWhole == true
    {
      // It is another write, whatever was there before.
      base = isShown ? history.value(of: name, in: draft.standing) : nil
    }
    if value != base || !lost.isEmpty,
      history.value(of: name, in: draft.seen) != value
    {
      draft.state(part, value, at: written)
    }
    if value == base { confirm(name, value, at: written) }
  }

  /// What others wrote of a field that the server says as well, and hasn't seen.
  private func others(_ part: AnewHistory.Part, _ value: String) -> Set<Int> {
    history.rows(part, in: draft.standing).subtracting(draft.seen).filter {
      author($0) != own && history.rows[$0].value == value
    }
  }

  private func latest(_ rows: Set<Int>) -> UInt64? {
    rows.map { history.rows[$0].stamp.time }.max()
  }

  /// How old that is, if nothing that it replaces is later.
  private func age(
    _ part: AnewHistory.Part, _ value: String, replacing replaced: Set<Int>
  ) -> UInt64? {
    latest(others(part, value)).flatMap { (latest(replaced) ?? 0) > $0 ? nil : $0 }
  }

  /// Lets what others wrote as well be the server's, if that changes nothing.
  private mutating func confirm(_ name: String, _ value: String, at written: UInt64?) {
    let part = AnewHistory.Part.field(name)
    let all = history.rows(part, in: draft.standing)
    let same = others(part, value)
    if same.isEmpty { return }
    var confirmed = draft
    confirmed.end(same)
    let age = latest(same.union(history.rows(part, in: draft.seen)))
    confirmed.state(part, value, at: time(of: name) == nil ? age : written)
    let shown = history.value(of: name, in: all)
    if confirmed.history.value(of: name, in: confirmed.standing) == shown { draft = confirmed }
  }
}
