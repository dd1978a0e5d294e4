import CRDTKit
import CRDTSimulator
import CRDTStore
import Toolkit

extension NotesSession {
  mutating func sync(_ request: NotesRequest) async throws -> ExitStatus {
    let (before, replica) = (store.all(Note.self), store.replica)
    var report = Store.SyncReport()
    // Once, and again where it came upon other documents that are meant.
    for attempt in 0..<16 {
      var others: [DocumentID]
      do {
        report = try await round(request)
        others = report.otherDocuments
      } catch let error as StoreError where !error.otherDocuments.isEmpty {
        guard request.has("join"), attempt < 15 else {
          throw CommandFailure(error.description + SyncRequest.joinHint)
        }
        others = error.otherDocuments
      }
      guard request.has("join"), !others.isEmpty else { break }
      for other in others { try await store.join(document: other) }
    }
    for fork in store.mendedForks { console.error(fork.remark(path: store.path)) }
    if store.replica != replica {
      console.error(
        "\(store.path): it is an older copy of a store, and writes as replica \(store.replica) now")
    }
    tell(report)
    if let failure = report.failure {
      let hint = report.otherDocuments.isEmpty ? failure.optionHint : SyncRequest.joinHint
      throw CommandFailure("\(store.path): \(failure)\(hint)")
    }
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

  private func round(_ request: NotesRequest) async throws -> Store.SyncReport {
    switch try request.partner() {
    case .folder(let path): return try await store.sync(with: .folder(path))
    case .command(let command, let limits): return try await sync(through: command, limits)
    case .store(let path):
      let other = try await NotesCommand.open(path, .changing)
      let report: Store.SyncReport
      do {
        report = try await store.sync(with: .store(other))
      } catch {
        // The first error tells more than what follows from it.
        try? await other.close()
        throw error
      }
      try await other.close()
      return report
    }
  }

  /// Brings the notes in sync with those that a command serves.
  private func sync(
    through command: String, _ limits: PeerLimits
  ) async throws -> Store.SyncReport {
    var child = try ServingChild(command)
    let pipes = child.releasePipes()
    let link: DescriptorLink
    do throws(SystemError) {
      link = try DescriptorLink(reading: pipes.reading, writing: pipes.writing)
    } catch {
      for end in [pipes.reading, pipes.writing] { Syscalls.closeDescriptor(end) }
      _ = child.end(isAwaited: false)
      throw error
    }
    let session = store.session(limits: limits.session)
    var timed = TimedLink(link, limits)
    var (fault, failure) = (nil as PeerPatience.Fault?, nil as SyncFailure?)
    do {
      try await exchange(session, over: &timed)
    } catch let error as SyncFailure {
      failure = error
    } catch is PeerLinkError {
      // How the command ended tells more.
    } catch let error as PeerPatience.Fault {
      fault = error
    } catch {
      session.disconnect()
      link.close()
      _ = child.end(isAwaited: false)
      throw error
    }
    let isDone = session.isSynchronized
    session.disconnect()
    link.close()
    let childEnding = child.end(isAwaited: fault == nil)
    if let fault { throw fault.trouble(with: "'\(command)'") }
    let ending = childEnding.map { "it \($0)" } ?? "it went on"
    var report = Store.SyncReport()
    report.failure = failure
    guard isDone || failure != nil else {
      throw CommandFailure("'\(command)' stopped before both held the same: \(ending)")
    }
    report.isSynchronized = isDone
    return report
  }

  private func exchange(
    _ session: Store.Session, over link: inout TimedLink
  ) async throws {
    var actions = try await session.connect()
    while true {
      for action in actions {
        switch action {
        case .send(let bytes): try await link.send(bytes)
        case .close(let failure): throw failure
        }
      }
      guard !session.isSynchronized, let bytes = try await link.receive() else { return }
      let before = session.store.document.version
      actions = try await session.receive(bytes)
      if session.store.document.version != before { link.noteNews() }
      if session.peerReplica != nil { link.noteGreeting() }
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
