import CRDTKit
import CRDTStore

/// An oracle that knows when each title was written and what its writer had seen, so that
/// of two concurrent titles the later one must win.
///
/// It shares nothing with the code that it judges but the names of operations and the stamps of
/// what apps write, which are checked against their clocks.
struct TitleOracle {
  /// A title that the server has had.
  private struct Told {
    var title: String
    /// When it was written there, by its clock; a later time where that is all that it says.
    var milliseconds: UInt64
    var author: ReplicaID?
    /// When the latest of the titles until then was written: an app that has seen that takes
    /// no later one for older, though the server's clock was set back.
    var latest: UInt64
    /// Whether nobody knows when it was written: its commit was in doubt.
    var isDoubtful = false
  }

  /// A title that an app has written.
  private struct Write {
    var name: String
    var title: String
    /// When, as the app stamped it.
    var milliseconds: UInt64
    var author: ReplicaID
    /// How many titles the server had had of which the app showed the last, or knew it.
    var seen: Int
    var number: Int
  }

  /// Whether the server says of records alone when they were changed.
  private let saysRecords: Bool
  private var told: [String: [Told]] = [:]
  private var writes: [Outbox.OperationID: Write] = [:]
  /// How many titles an app has written or shown, by note.
  private var known: [ReplicaID: [String: Int]] = [:]
  private var count = 0

  init(saysRecords: Bool) { self.saysRecords = saysRecords }
}

extension TitleOracle {
  /// Records a title that someone else wrote at the server.
  mutating func tell(_ title: String, of name: String, at milliseconds: UInt64) {
    add(title, to: name, at: milliseconds)
  }

  /// Notes what an app shows: what of the server's it has seen, its author can be later than.
  mutating func show(_ title: String, of name: String, in app: ReplicaID) {
    guard let place = told[name]?.lastIndex(where: { $0.title == title }) else { return }
    let before = known[app]?[name] ?? 0
    known[app, default: [:]][name] = max(before, place + 1)
  }

  /// Records a title that an app has written.
  mutating func write(
    _ title: String, of name: String, at milliseconds: UInt64, by operations: [Outbox.OperationID]
  ) {
    guard let id = operations.first else { return }
    let author = id.dot.replica
    count += 1
    writes[id] = Write(
      name: name, title: title, milliseconds: milliseconds, author: author,
      seen: known[author]?[name] ?? 0, number: count)
  }

  private mutating func add(
    _ title: String, to name: String, at milliseconds: UInt64, by author: ReplicaID? = nil,
    isDoubtful: Bool = false
  ) {
    let latest = max(milliseconds, told[name]?.last?.latest ?? 0)
    told[name, default: []].append(
      Told(
        title: title, milliseconds: milliseconds, author: author, latest: latest,
        isDoubtful: isDoubtful))
  }

  /// Notes that a note was changed at the server, in whatever field: where that says of records
  /// alone when they were changed, its clock may have been set back since it had its title.
  mutating func touch(_ name: String, at milliseconds: UInt64) {
    guard saysRecords, let history = told[name] else { return }
    for place in history.indices {
      told[name]?[place].milliseconds = min(history[place].milliseconds, milliseconds)
    }
  }

  /// Records an operation that the server has applied.
  ///
  /// Returns the title that must not have been replaced, if any.
  mutating func finish(_ effect: Outbox.Envelope, at milliseconds: UInt64) -> String? {
    let name = effect.record.record
    defer { touch(name, at: milliseconds) }
    for change in effect.changes where change.path == "title" && effect.kind != .create {
      guard case .assign(.string(let title), _) = change.change else { continue }
      let history = told[name] ?? []
      guard let write = writes[effect.id], write.title == title else {
        add(title, to: name, at: milliseconds, by: effect.id.dot.replica, isDoubtful: true)
        continue
      }
      defer { add(title, to: name, at: milliseconds, by: write.author) }
      // Of the server's own titles the last: its clock may have been set back in between.
      if let place = history.lastIndex(where: { $0.author != write.author }), place >= write.seen,
        history[place].milliseconds >= write.milliseconds
      {
        return "the title '\(title)' of \(name), written at \(write.milliseconds), replaced "
          + "'\(history[place].title)' of \(history[place].milliseconds), number \(place), "
          + "which its writer had not seen"
      }
      let later = writes.values.first { other in
        other.author == write.author && other.name == name && other.number > write.number
          && history.contains { $0.author == other.author && $0.title == other.title }
      }
      if let later {
        return "the title '\(title)' of \(name) replaced '\(later.title)', which is later"
      }
    }
    return nil
  }

  /// Records that a title of an operation lost to the one that an app shows.
  ///
  /// Returns whether that one was written later.
  func lose(_ operation: Outbox.Operation, to shown: String?) -> String? {
    let name = operation.record.record
    let assigned = operation.changes.last { $0.path == "title" }
    guard case .assign(.string(let title), _)? = assigned?.change,
      let write = writes[operation.id], write.title == title, let shown
    else { return nil }
    // A later one of its own replaced it, even if that was replaced at the server since.
    let isOwn = writes.values.contains { later in
      later.author == write.author && later.name == name && later.number > write.number
        && (later.title == shown || told[name]?.contains { $0.title == later.title } == true)
    }
    let place = told[name]?.lastIndex { $0.title == shown }
    // Nobody knows when it was written: its commit was in doubt.
    if !isOwn, place.flatMap({ told[name]?[$0].isDoubtful }) ?? true { return nil }
    // Where records alone have times, any change of it may have made it later.
    let time = place.flatMap { told[name]?[$0].latest } ?? 0
    if isOwn || saysRecords || time >= write.milliseconds { return nil }
    return "the title '\(title)' of \(name), written at \(write.milliseconds), lost to "
      + "'\(shown)' of \(time)"
  }
}
