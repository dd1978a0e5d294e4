import CRDTKit
import CRDTStore
import Toolkit

extension StoreCommand {
  /// Brings a store in sync, once or again and again.
  static func sync(
    _ folder: String, _ request: SyncRequest, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    guard let pause = request.pauseSeconds else {
      let report = try round(folder, request, &console)
      tell(report, folder, &console)
      return report.isSynchronized ? .success : .negative
    }
    var lastTrouble: CommandFailure?
    while true {
      // The store is open only for the round, so that others can use it in between.
      do throws(CommandFailure) {
        let report = try round(folder, request, &console)
        if report.deltasSent + report.deltasTaken > 0 { tell(report, folder, &console) }
        lastTrouble = nil
      } catch {
        // What is wrong now may pass; it is said once.
        if error != lastTrouble { console.error(error.description) }
        lastTrouble = error
      }
      guard console.finish(.success) == .success else { return .trouble }
      Syscalls.sleep(milliseconds: 1_000 * pause)
    }
  }

  private static func tell(_ report: Store.SyncReport, _ folder: String, _ console: inout Console) {
    let (sent, taken) = (report.bytesSent, report.bytesTaken)
    console.write("sent \(sent.counted("byte")), took in \(taken.counted("byte"))\n")
    for finding in report.findings where finding.reason != .unknown {
      console.error("\(finding)")
    }
    if !report.missing.isEmpty {
      let count = report.missing.reduce(0 as UInt64) { $0 &+ $1.counter }
      let replicas = report.missing.count.counted("replica")
      console.error(
        "\(folder): some files build on others, up to change \(count.grouped) of \(replicas), "
          + "that have not come yet")
    }
  }

  private static func round(
    _ folder: String, _ request: SyncRequest, _ console: inout Console
  ) throws(CommandFailure) -> Store.SyncReport {
    var replicas: (before: ReplicaID, after: ReplicaID)?
    var inner = console
    let report = try writing(folder, &console) { (store) throws(CommandFailure) in
      let before = store.replica
      defer { replicas = (before, store.replica) }
      return try exchange(store, with: request.partner, joining: request.joins) {
        (path, body) throws(CommandFailure) in
        try writing(path, &inner, body)
      }
    }
    if let replicas, replicas.before != replicas.after {
      console.error(
        "\(folder): it is an older copy of a store, or one of two: "
          + "it writes as replica \(replicas.after) now, not \(replicas.before)"
          + (report.isSynchronized ? "" : "; sync again, now that each has its own name"))
    }
    try report.check(of: folder)
    return report
  }

  /// Brings a store in sync with its peer; `opening` opens one that is a store.
  static func exchange(
    _ store: Store, with partner: SyncRequest.Partner, joining joins: Bool,
    opening: (
      String, (Store) throws(CommandFailure) -> Store.SyncReport
    ) throws(CommandFailure) -> Store.SyncReport
  ) throws(CommandFailure) -> Store.SyncReport {
    switch partner {
    case .folder(let path):
      return try rounds(of: store, joining: joins) { () throws(StoreError) in
        try store.sync(with: .folder(path))
      }
    case .store(let path):
      return try opening(path) { (other) throws(CommandFailure) in
        try rounds(of: store, joining: joins) { () throws(StoreError) in
          try store.sync(with: .store(other))
        }
      }
    case .command(let command, let limits):
      var report = try sync(store, through: command, limits)
      if joins, try join(report.otherDocuments, to: store) {
        report = try sync(store, through: command, limits)
      }
      return report
    }
  }

  /// Brings a store in sync; where that comes upon other documents which are meant, they are
  /// joined, and it is done again.
  private static func rounds(
    of store: Store, joining joins: Bool, _ round: () throws(StoreError) -> Store.SyncReport
  ) throws(CommandFailure) -> Store.SyncReport {
    for _ in 0..<16 where joins {
      let others: [DocumentID]
      do throws(StoreError) { others = try round().otherDocuments } catch {
        others = error.otherDocuments
      }
      guard try join(others, to: store) else { break }
    }
    do throws(StoreError) { return try round() } catch {
      let hint = error.otherDocuments.isEmpty ? "" : SyncRequest.joinHint
      throw CommandFailure(error.description + hint)
    }
  }

  /// Says whether there was any.
  private static func join(
    _ documents: [DocumentID], to store: Store
  ) throws(CommandFailure) -> Bool {
    for document in documents {
      try stored { () throws(StoreError) in try store.join(document: document) }
    }
    return !documents.isEmpty
  }

  /// Brings a store in sync with the one that a command serves.
  private static func sync(
    _ store: Store, through command: String, _ limits: PeerLimits
  ) throws(CommandFailure) -> Store.SyncReport {
    var peer = try ServingChild(command)
    let (before, replica) = (store.document.version, store.replica)
    var link: StoreLink
    let ending: StoreLink.Ending
    do throws(CommandFailure) {
      link = try StoreLink(
        store, reading: peer.reading, writing: peer.writing, limits: limits)
      ending = try link.run(untilSynchronized: true)
    } catch {
      _ = peer.end(isAwaited: false)
      throw error
    }
    let isTooSlow = if case .tooSlow = ending { true } else { false }
    let childEnding = peer.end(isAwaited: !isTooSlow)
    var report = Store.SyncReport()
    report.bytesSent = link.bytesSent
    report.bytesTaken = link.bytesTaken
    report.deltasTaken = store.document.version == before ? 0 : 1
    switch ending {
    case .synchronized:
      // A peer that greets as this store is a copy of it, or the stream leads back here.
      report.isSynchronized = link.peerReplica != replica
    case .failed(let failure): report.failure = failure
    case .tooSlow(let fault): throw fault.trouble(with: "'\(command)'")
    case .closed:
      let how = childEnding.map { "it \($0)" } ?? "it went on"
      throw CommandFailure("'\(command)' stopped before both held the same: \(how)")
    }
    return report
  }
}
