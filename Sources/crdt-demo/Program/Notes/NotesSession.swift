import CRDTKit
import CRDTStore
import Toolkit

/// The app while its store is open: what its user sees, and what was done.
struct NotesSession {
  var store: Store
  var console: Console
  /// The commits that can be taken back, the last one at the end.
  var receipts: [Store.Receipt] = []
  /// Whether commands come as lines, one after another.
  var isInteractive = false

  init(_ store: Store, _ console: Console) {
    self.store = store
    self.console = console
  }
}

extension NotesSession {
  /// Does what was asked for.
  mutating func perform(_ request: NotesRequest) async throws -> ExitStatus {
    switch request.verb {
    case .add: try await add(request)
    case .edit: try await edit(request)
    case .tag, .untag: try await tag(request)
    case .like: try await like(request)
    case .pin, .unpin: try await pin(request)
    case .trash: try await trash(request)
    case .restore: try await restore(request)
    case .undo: try await undo()
    case .show: try show(request)
    case .list: try list(request)
    case .search: search(request)
    case .trashed: trashed()
    case .export: export()
    case .conflicts: conflicts()
    case .resolve: try await resolve(request)
    case .violations: violations()
    case .status: status()
    case .sync: try sync(request)
    case .watch: try await watch(request)
    }
  }

  /// The note that is meant by the beginning of its identifier.
  func note(_ prefix: String, among notes: some Collection<Note>) throws -> Note {
    if let exact = notes.first(where: { $0.id == prefix }) { return exact }
    let matches = notes.filter { !prefix.isEmpty && $0.id.hasPrefix(prefix) }
    guard let match = matches.first else {
      throw NotesRefusal("there is no note \(prefix.shownAsName)")
    }
    guard matches.count == 1 else {
      let names = matches.prefix(10).map { "\n  \($0.id.shownAsText)  \($0.title.shownAsName)" }
        .joined()
      let more = matches.count > 10 ? "\n  and \((matches.count - 10).grouped) more" : ""
      throw NotesRefusal(
        "\(prefix.shownAsName) may be any of \(matches.count.counted("note")):\(names)\(more)")
    }
    return match
  }

  /// The note that is meant by the beginning of its identifier.
  func note(_ prefix: String) throws -> Note {
    try note(prefix, among: store.all(Note.self))
  }

  mutating func sync(_ request: NotesRequest) throws -> ExitStatus {
    let (before, replica) = (store.all(Note.self), store.replica)
    let report = try StoreCommand.exchange(
      store, with: try request.partner(), joining: request.has("join")
    ) { (path, body) throws(CommandFailure) in
      try StoreCommand.closing(NotesCommand.open(path, .changing), after: body)
    }
    for fork in store.mendedForks { console.error(fork.remark(path: store.path)) }
    if store.replica != replica {
      console.error(
        "\(store.path): it is an older copy of a store, and writes as replica \(store.replica) now")
    }
    tell(report)
    try report.check(of: store.path)
    console.write(summary(since: before) + "\n")
    return report.isSynchronized ? .success : .negative
  }

  /// Says what of a round was not taken in.
  mutating func tell(_ report: Store.SyncReport) {
    for finding in report.findings where finding.reason != .unknown { console.error("\(finding)") }
    if !report.missing.isEmpty {
      console.error("\(store.path): some files build on others that have not come yet")
    }
  }

  /// What is different from before, in a line.
  private func summary(since before: Store.Records<Note>) -> String {
    let now = store.all(Note.self)
    let new = now.count { before[id: $0.id] == nil }
    let changed = now.count { note in before[id: note.id].map { $0 != note } ?? false }
    let gone = before.count { now[id: $0.id] == nil }
    let conflicts = store.conflicts(of: Note.self).count
    let counts = [(new, "new"), (changed, "changed"), (gone, "gone")].filter { $0.0 > 0 }
    var parts = counts.map { "\($0.0.grouped) \($0.1)" }
    if parts.isEmpty { parts = ["nothing new here"] }
    if conflicts > 0 { parts.append("\(conflicts.counted("conflict")) to resolve") }
    return "in sync: " + parts.joined(separator: ", ")
  }
}
