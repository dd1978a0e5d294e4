import CRDTKit
import CRDTStore
import Dispatch
import Toolkit

extension NotesSession {
  /// Shows the notes, and each change of them, while commands are taken as lines from
  /// the standard input.
  mutating func watch(_ request: NotesRequest) async throws -> ExitStatus {
    let seconds = try request.integer("for", in: 0...86_400)
    var board = NotesBoard()
    show(store.all(Note.self), on: &board)
    let (events, line) = AsyncStream.makeStream(of: Event.self)
    let tasks = sources(request["folder"], seconds: seconds, of: line)
    defer { for task in tasks { task.cancel() } }
    // Lines that come faster than they are done wait where they come from.
    let room = DispatchSemaphore(value: 0)
    for _ in 0..<16 { room.signal() }
    InputLines.read { text in
      room.wait()
      line.yield(text.map { .command($0) } ?? .end)
    }
    isInteractive = true
    var lastTrouble: String?
    loop: for await event in events {
      switch event {
      case .notes(let notes): show(notes, on: &board)
      case .command(let text):
        await perform(text)
        room.signal()
      case .round(.success(let report)):
        lastTrouble = nil
        tell(report)
      case .round(.failure(let error)):
        // What is wrong now may pass; it is said once.
        if lastTrouble != "\(error)" { console.error("\(error)") }
        lastTrouble = "\(error)"
      case .end where seconds != nil: break
      case .end, .over: break loop
      }
      guard console.finish(.success) == .success else { return .trouble }
    }
    if let path = request["folder"] { try await store.sync(with: .folder(path)) }
    show(store.all(Note.self), on: &board)
    return .success
  }

  /// What happens while notes are watched.
  enum Event: Sendable {
    case notes(Store.Records<Note>)
    /// A command was typed.
    case command(String)
    /// The notes were brought in sync, or it was tried.
    case round(Result<Store.SyncReport, StoreError>)
    /// No command will be typed any more.
    case end
    /// The time is over, or the store was closed.
    case over
  }

  /// Starts what makes events.
  private func sources(
    _ folder: String?, seconds: Int?, of line: AsyncStream<Event>.Continuation
  ) -> [Task<Void, Never>] {
    let store = store
    var tasks = [
      Task {
        for await notes in store.observe(Note.self) { line.yield(.notes(notes)) }
        line.yield(.over)
      }
    ]
    if let folder {
      tasks.append(
        Task {
          do throws(StoreError) {
            try await store.keepInSync(with: .folder(folder), every: .seconds(1)) { round in
              line.yield(.round(round))
            }
          } catch {
            line.yield(.round(.failure(error)))
          }
        })
    }
    if let seconds {
      tasks.append(
        Task {
          try? await Task.sleep(for: .seconds(seconds))
          line.yield(.over)
        })
    }
    return tasks
  }

  private mutating func show(_ notes: Store.Records<Note>, on board: inout NotesBoard) {
    let conflicts = Set(store.conflicts(of: Note.self).map(\.record))
    for change in board.update(to: notes, conflicts: conflicts) {
      let mark = console.styled(change.mark == "-" ? .red : .green, change.mark)
      console.write("\(mark) \(line(change.note, hasConflict: change.hasConflict))\n")
    }
  }

  /// Does what a line says; an error isn't the end.
  private mutating func perform(_ text: String) async {
    do {
      let words = try text.shellWords()
      guard !words.isEmpty else { return }
      let options = try NotesCommand.options(for: words[...])
      let request = try NotesRequest(try Arguments(words, options: options))
      guard request.folder.isEmpty, request.verb != .watch else {
        throw UsageError("the notes are open already: give commands without 'notes' and '-s'")
      }
      if request.verb == .edit, !request.hasOptions {
        throw UsageError("give one of --title, --body and --append")
      }
      _ = try await perform(request)
    } catch {
      _ = NotesCommand.report(error, &console)
    }
  }
}
