import CRDTKit
import CRDTStore
import Toolkit

/// An editor of one text of a store, while it is open.
struct EditSession {
  private let store: Store
  private let place: EditedPlace
  private let name: String
  private let inbox: EditInbox
  private var pane: TextPane
  private var history: EditHistory
  private var message = ""
  private var shown: ScreenImage?
  private var isOver = false
  /// Whether the caret has moved since it was last published.
  private var hasMoved = true
  private let isColored: Bool

  init(_ store: Store, at place: EditedPlace, name: String, inbox: EditInbox) {
    (self.store, self.place, self.name, self.inbox) = (store, place, name, inbox)
    history = EditHistory(of: store.replica)
    let size = Syscalls.terminalSize(1)
    pane = TextPane(
      of: ReplicatedText(), columns: size?.columns ?? 80, rows: size?.rows ?? 24)
    isColored = (Syscalls.environment("NO_COLOR") ?? "").isEmpty
  }

  /// The text as it is committed; empty if nobody has written it, or somebody has deleted it.
  private var text: any ReplicatedTextProtocol {
    place.text(in: store.document) ?? ReplicatedText()
  }
}

extension EditSession {
  /// How long after a move the caret is published, so that a walk through the text is one commit.
  private static let caretMilliseconds = 300

  /// Shows the text, and does what keys say, until one says to quit.
  mutating func run() async throws {
    try publishCaret()
    try draw()
    for await _ in inbox.alarms {
      let content = inbox.take()
      if content.isResized {
        if let size = Syscalls.terminalSize(1) { pane.size = size }
        shown = nil
      }
      if let round = content.round { message = Self.message(of: round) }
      if let words = content.message { message = words.visible }
      if content.isCaretDue { try publishCaret() }
      try await take(content.keys)
      if hasMoved, !content.keys.isEmpty { publishCaretSoon() }
      if isOver || content.isOver { break }
      try draw()
    }
    try await store.edit { $0.delete("\($0.replica)", in: PublishedCaret.collection) }
  }

  private static func message(of round: Result<Store.SyncReport, StoreError>) -> String {
    switch round {
    case .failure(let error): "\(error)".visible
    case .success(let report):
      if let finding = report.findings.first(where: { $0.reason != .unknown }) {
        "\(finding)".visible
      } else {
        report.missing.isEmpty ? "" : "waiting for changes that haven't arrived"
      }
    }
  }

  /// Draws what is different on the terminal.
  private mutating func draw() throws {
    let now = SystemClock().milliseconds
    let others = PublishedCaret.others(
      than: store.replica, in: store.document, at: place, now: now)
    let text = text
    pane.scrollToCaret(in: text)
    let image = pane.image(of: text, others: others, name: name.visible, message: message)
    if image == shown { return }
    let bytes = image.bytes(after: shown, isColored: isColored)
    try Syscalls.reporting { () throws(Syscalls.Failure) in try FileWriter.writeAll(1, bytes) }
    shown = image
  }
}

extension EditSession {
  /// Does what keys say: those that write are one commit.
  private mutating func take(_ keys: [Key]) async throws {
    var rest = keys[...]
    while let key = rest.first, !isOver {
      let text = text
      guard let action = pane.take(key, in: text) else {
        rest.removeFirst()
        history.endEdit()
        hasMoved = true
        continue
      }
      if take(action) {
        rest.removeFirst()
      } else {
        rest = try await write(rest)
      }
    }
  }

  /// Does what needs no commit; returns whether that was it.
  private mutating func take(_ action: TextPane.Action) -> Bool {
    switch action {
    case .save: message = "saved as you type"
    case .redraw: shown = nil
    case .quit: isOver = true
    case .replace, .undo, .redo: return false
    }
    return true
  }

  /// Does what keys say, up to one that means something else; returns the others.
  ///
  /// The edits and the new place of the caret are one commit, which survives a power cut. If
  /// it can't be made, nothing has changed, and the keys are dropped.
  private mutating func write(_ keys: ArraySlice<Key>) async throws -> ArraySlice<Key> {
    var rest = keys
    let (published, before) = (publishedCaret, (pane, history))
    do {
      try await store.edit { edit in
        edit.editText(place.field, of: place.record, in: place.collection) { text in
          while let key = rest.first {
            guard let action = pane.take(key, in: text.text) else {
              history.endEdit()
              rest.removeFirst()
              continue
            }
            guard write(action, in: &text) else { break }
            rest.removeFirst()
          }
        }
        try edit.write(published(pane.caret), to: "\(edit.replica)", in: PublishedCaret.collection)
      }
      hasMoved = false
      return rest
    } catch let error as StoreError {
      switch error {
      case .stopped, .closed: throw error
      default: break
      }
      (pane, history) = before
      message = "not written: \(error)".visible
      return []
    }
  }

  /// Makes an edit; returns `false` for an action that is none.
  private mutating func write(
    _ action: TextPane.Action, in text: inout Document.TextEditor
  ) -> Bool {
    let caret: Int?
    switch action {
    case .replace(let range, let string):
      caret = history.replace(range, with: string, in: &text)
      message = ""
    case .undo:
      caret = history.undo(in: &text)
      message = caret == nil ? "nothing of yours to undo" : ""
    case .redo:
      caret = history.redo(in: &text)
      message = caret == nil ? "nothing to do again" : ""
    case .save, .redraw, .quit: return false
    }
    if let caret { pane.moveCaret(to: caret, in: text.text) }
    return true
  }
}

extension EditSession {
  private var publishedCaret: (TextPane.Anchor) -> PublishedCaret {
    let (name, text) = (name, place.name)
    return {
      PublishedCaret(
        name: name, text: text, caret: .init(anchor: $0), moved: SystemClock().milliseconds)
    }
  }

  /// Lets others see where the caret is.
  ///
  /// That may be lost in a crash, so nothing waits for the disk.
  private mutating func publishCaret() throws {
    guard hasMoved else { return }
    let caret = publishedCaret(pane.caret)
    try store.edit(.relaxed) { edit in
      try edit.write(caret, to: "\(edit.replica)", in: PublishedCaret.collection)
    }
    hasMoved = false
  }

  private func publishCaretSoon() {
    let inbox = inbox
    Task {
      try? await Task.sleep(for: .milliseconds(Self.caretMilliseconds))
      inbox.put { $0.isCaretDue = true }
    }
  }
}
