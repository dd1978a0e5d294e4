import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Foundation
import Testing

/// What calls answer that read what another has written, and the disk hasn't.
///
/// While a disk is held up, one task writes a record, and another gives an answer that
/// rests on it. Whenever the answer comes, every power cut after it must leave the record.
@Suite("Answers that rest on commits which wait for the disk")
struct AnswerTests {
  private struct Refusal: Error, Equatable {}

  /// What a call answers; each rests on the record `order`.
  enum Question: String, CaseIterable, Sendable {
    case readInWrite, createAgain, throwInWrite, undo, draftOfNothing, publish
    case readInEdit, throwInEdit, throwAfterChange
    case discardNothing, performNothingOnline, performOnlineThrowing
  }

  private final class Answer: Sendable {
    /// How many calls the file system had had when the answer came, and what was wrong.
    let call = Guarded<Int?>(nil)
    let wrong = Guarded<[String]>([])
  }

  private static func ask(
    _ question: Question, _ store: Store, _ receipt: Store.Receipt,
    _ draft: Store.Draft<ScenarioNote>
  ) async throws -> Bool {
    let outbox = store.outbox(over: FakeServer())
    switch question {
    case .readInWrite:
      var found: ScenarioNote?
      let receipt = try await store.write { found = try $0.get(ScenarioNote.self, "order") }
      return found == SlowDisk.order && receipt.dot == nil
    case .createAgain:
      do {
        try await store.write { try $0.create(SlowDisk.order) }
      } catch RecordError.alreadyExists { return true }
      return false
    case .throwInWrite:
      do {
        try await store.write { tx in
          if try tx.get(ScenarioNote.self, "order") != nil { throw Refusal() }
        }
      } catch is Refusal { return true }
      return false
    case .undo:
      // The title was written anew since, so there is nothing to take back.
      return try await store.undo(receipt).dot == nil
    case .draftOfNothing:
      return try await store.write { try $0.commit(draft) }.dot == nil
    case .publish:
      do {
        try await store.write { try $0.publish(ScenarioNote.self, "order") }
      } catch is RecordError { return true }
      return true
    case .readInEdit:
      return try await store.edit { $0.contains("order", in: "notes") }
    case .throwInEdit:
      do {
        try await store.edit { if $0.contains("order", in: "notes") { throw Refusal() } }
      } catch is Refusal { return true }
      return false
    case .throwAfterChange:
      do {
        try await store.edit { edit in
          let isThere = edit.contains("order", in: "notes")
          edit.set("title", of: "order", in: "notes", to: "never")
          if isThere { throw Refusal() }
        }
      } catch is Refusal { return true }
      return false
    case .discardNothing:
      let id = Outbox.OperationID(
        dot: Dot(store.replica, 1), record: Document.RecordID("order", in: "notes"))
      return try await outbox.discard(id, revertingChanges: false) == nil
    case .performNothingOnline:
      let receipt = try await outbox.performOnline { tx in
        _ = try tx.get(ScenarioNote.self, "order")
      }
      return receipt.dot == nil
    case .performOnlineThrowing:
      do {
        try await outbox.performOnline { tx in
          if try tx.get(ScenarioNote.self, "order") != nil { throw Refusal() }
        }
      } catch is Refusal { return true }
      return false
    }
  }

  /// Writes the order while the disk is held up, and asks meanwhile.
  private func answer(
    _ question: Question, in setup: SlowDisk, failing: Bool = false
  ) async throws -> (Answer, Task<Void, any Error>) {
    let (store, files) = (setup.store, setup.files)
    let writing = try await setup.writeOrder()
    if failing { files.schedule(DiskFault(.fails(5), kind: .synchronize, isForever: true)) }
    let answer = Answer()
    let asking = Task {
      do {
        let isRight = try await Self.ask(question, store, setup.receipt, setup.draft)
        answer.call.withLock { $0 = files.callCount }
        if !isRight { answer.wrong.withLock { $0.append("the answer is another") } }
        if try store.get(ScenarioNote.self, "order") == nil {
          answer.wrong.withLock { $0.append("what was read isn't seen") }
        }
      } catch {
        answer.call.withLock { $0 = files.callCount }
        answer.wrong.withLock { $0.append("\(error)") }
      }
    }
    // An answer that comes later is judged all the same.
    try await setup.release { answer.call.withLock { $0 != nil } }
    await asking.value
    return (answer, writing)
  }

  @Test("An answer is given when what it rests on is durable", arguments: Question.allCases)
  func durable(_ question: Question) async throws {
    let setup = try await SlowDisk()
    let (answer, writing) = try await answer(question, in: setup)
    try await writing.value
    #expect(answer.wrong.withLock { $0 } == [])
    let call = try #require(answer.call.withLock { $0 })
    #expect(try await setup.imagesWithoutOrder(afterCall: call) == 0)
    try await setup.store.close()
  }

  @Test("No answer is given that rests on what couldn't be written", arguments: Question.allCases)
  func failed(_ question: Question) async throws {
    let setup = try await SlowDisk()
    let (answer, writing) = try await answer(question, in: setup, failing: true)
    await #expect(throws: StoreError.self) { try await writing.value }
    let wrong = answer.wrong.withLock { $0 }
    #expect(wrong.count == 1 && wrong[0].contains("takes no more commits"), "\(wrong)")
    await #expect(throws: StoreError.self) { try await setup.store.close() }
  }
}
