/// What a replica has written in a text and removed from it, to undo it and to redo it.
///
/// It undoes what you do through it, and nothing of others, whatever was merged since:
///
///     var history = UndoStack(for: phone)
///     history.edit(&body) { $0.append("Hello") }
///     body.merge(theirs)
///     history.undo(in: &body)                         // takes out "Hello", and nothing of theirs
///     history.redo(in: &body)
///
/// - Undoing an insertion removes those of its characters that are still there; what others
///   have inserted among them stays.
/// - Undoing a deletion inserts the text again where it was, also what somebody else has removed
///   as well. What somebody has put back already isn't put back twice; only if two replicas do so
///   at the same time, it stands there twice.
///   Anchors at the deleted characters, and marks, are at those that were put back. Their author,
///   as `authors(in:)` says, is the replica that put them back.
/// - Changes of marks are not undone.
///
/// Each call of `edit` is one step, unless it continues the one before; a call that changes no
/// text is none. An edit after an undo forgets what was undone.
///
/// The stack is a value beside the text, for one text. It isn't merged or encoded. It keeps the
/// text that its steps removed, of at most ``maximumSteps`` steps that can be undone or redone.
/// If a fork is mended, characters have other names, so all steps are forgotten.
public struct UndoStack: Sendable {
  /// The replica whose changes are undone, and that undoes them.
  ///
  /// A text of a ``Document`` is changed by the replica of its editor.
  public let replica: ReplicaID
  /// The most steps that are kept; the oldest ones are forgotten first.
  public let maximumSteps: Int

  private var done: [TextStep] = []
  private var undone: [TextStep] = []
  /// Whether the last step may be continued: nothing was undone or redone since.
  private var canContinue = false
  /// The forks that were mended before the first step.
  private var forks: ContiguousArray<NotedFork> = []

  /// Creates an empty stack for the changes of a replica to one text.
  ///
  /// - Parameters:
  ///   - replica: The replica that makes the changes.
  ///   - maximumSteps: The most steps that are kept.
  public init(for replica: ReplicaID, maximumSteps: Int = 1_000) {
    self.replica = replica
    self.maximumSteps = max(maximumSteps, 0)
  }

  /// Whether there is a step to undo.
  ///
  /// Undoing it may still change nothing, if others have removed what it inserted.
  public var canUndo: Bool { !done.isEmpty }

  /// Whether there is a step to redo.
  public var canRedo: Bool { !undone.isEmpty }

  /// Forgets all steps.
  public mutating func removeAll() {
    (done, undone, canContinue) = ([], [], false)
  }
}

extension UndoStack {
  /// Makes changes to a text as the replica, as one step.
  ///
  /// If `body` throws, its earlier changes remain, and are a step.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - continuing: Whether the changes belong to the step before, as when somebody types a
  ///     word letter by letter. After an undo or a redo, they are a new step anyway.
  ///   - body: Makes the changes.
  /// - Returns: The delta of the changes.
  /// - Complexity: O(pages of up to 1,024 events) and the complexity of `body`.
  @discardableResult
  public mutating func edit<Result>(
    _ text: inout ReplicatedText, continuing: Bool = false,
    _ body: (inout Editor<ReplicatedText>) throws -> Result
  ) rethrows -> TableDelta<ReplicatedText> {
    let before = text._table
    defer { record(from: before, to: text._table, continuing: continuing) }
    return try text.edit(by: replica, body)
  }

  /// Undoes the last step that isn't undone, and of which something is left to undo.
  ///
  /// - Returns: Where text was put back; an empty range where some was only removed; `nil` if
  ///   there was nothing to undo.
  /// - Complexity: O(pages of up to 1,024 events), and O(m log n) for m characters of the step
  ///   and n of the text.
  @discardableResult
  public mutating func undo(in text: inout ReplicatedText) -> Range<ReplicatedText.Index>? {
    undo(&text._table, at: .none, by: replica)
  }

  /// Redoes the step that was undone last, and of which something is left to redo.
  ///
  /// - Returns: Where text was put back; an empty range where some was only removed; `nil` if
  ///   there was nothing to redo.
  /// - Complexity: As that of an undo.
  @discardableResult
  public mutating func redo(in text: inout ReplicatedText) -> Range<ReplicatedText.Index>? {
    redo(&text._table, at: .none, by: replica)
  }
}

extension UndoStack {
  /// Records what was changed between two states of a table.
  mutating func record<Key, Payload>(
    from before: DotTable<Key, Payload>, to table: DotTable<Key, Payload>, continuing: Bool
  ) {
    forgetIfMended(table)
    let step = table.textStep(since: before)
    guard !step.isEmpty else { return }
    undone = []
    if continuing, canContinue, !done.isEmpty {
      done[done.count - 1].join(step)
      if done[done.count - 1].isEmpty { done.removeLast() }
    } else {
      done.append(step)
      if done.count > maximumSteps { done.removeFirst() }
    }
    canContinue = true
  }

  mutating func undo<Key, Payload>(
    _ table: inout DotTable<Key, Payload>, at start: Dot, by replica: ReplicaID
  ) -> Range<ReplicatedText.Index>? {
    takeBack(&table, at: start, by: replica, from: \.done, to: \.undone)
  }

  mutating func redo<Key, Payload>(
    _ table: inout DotTable<Key, Payload>, at start: Dot, by replica: ReplicaID
  ) -> Range<ReplicatedText.Index>? {
    takeBack(&table, at: start, by: replica, from: \.undone, to: \.done)
  }

  private mutating func takeBack<Key, Payload>(
    _ table: inout DotTable<Key, Payload>, at start: Dot, by replica: ReplicaID,
    from source: WritableKeyPath<Self, [TextStep]>, to target: WritableKeyPath<Self, [TextStep]>
  ) -> Range<ReplicatedText.Index>? {
    forgetIfMended(table)
    canContinue = false
    while let step = self[keyPath: source].popLast() {
      guard let (inverse, place) = table.takeBack(step, inTextAt: start, by: replica) else {
        continue
      }
      self[keyPath: target].append(inverse)
      let (lower, events) = (table.textRange(at: start).lowerBound, table.eventCount)
      return ReplicatedText.Index(
        offset: place.lowerBound - lower, events: events)..<ReplicatedText.Index(
          offset: place.upperBound - lower, events: events)
    }
    return nil
  }

  /// Forgets all steps after a fork was mended: others may have their characters' names now.
  private mutating func forgetIfMended<Key, Payload>(_ table: DotTable<Key, Payload>) {
    guard table.forks != forks else { return }
    forks = table.forks
    removeAll()
  }
}
