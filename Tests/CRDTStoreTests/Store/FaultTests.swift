import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// System calls that fail, at every call of a store, once and for ever.
///
/// Whatever fails: what was acknowledged is there on a healthy disk; readers see
/// what was committed and nothing else; no error of the disk is taken for damage;
/// after a failed synchronization the file is neither written nor synchronized
/// again; all descriptors are given back.
@Suite("A store whose system calls fail")
struct FaultTests {
  typealias Operation = StoreOperation

  /// The synchronizations that failed and the calls on the same file after them.
  private func callsAfterFailure(_ calls: [CallRecord]) -> String? {
    guard
      let failed = calls.firstIndex(where: {
        ($0.kind == .synchronize || $0.kind == .synchronizeNames) && $0.code != 0
      })
    else { return nil }
    let name = calls[failed].name
    let later = calls[(failed + 1)...].first {
      $0.name == name && [.synchronize, .synchronizeNames, .write].contains($0.kind)
    }
    return later.map { "after a failed synchronization: \($0)" }
  }

  /// Does operations until the store can't go on; gives the disk back healthy.
  private func run(_ run: StoreRun, _ operations: [Operation]) {
    let files = run.files
    do {
      try run.open()
      for operation in operations {
        do {
          try run.perform(operation)
        } catch let error as StoreError {
          if case .damaged = error { run.expect(false, "taken for damage: \(error)") }
          if case .system = error, run.store != nil { continue }
          throw error
        }
      }
      try run.close()
    } catch {
      let text = "\(error)"
      run.expect(error is StoreError, "an unexpected error: \(text)")
      if case .damaged? = error as? StoreError {
        run.expect(false, "taken for damage: \(text)")
      }
      run.giveUp()
    }
    // What was opened by a call that failed can't be given back.
    let failedCount = files.calls.count {
      $0.code != 0 && ($0.kind == .open || $0.kind == .openFolder)
    }
    run.expect(
      files.openCount <= failedCount, "\(files.openCount) descriptors are still open")
    if let call = callsAfterFailure(files.calls) { run.expect(false, call) }
  }

  /// Lets every call of a workload fail, in every way; cuts the power then, or lets
  /// the store be opened and written on the disk that is well again, and then does.
  private func explore(
    _ name: String, after base: StoreRun?, _ operations: [Operation],
    effects: [DiskFault.Effect] = FaultExplorer.everyEffect
  ) async {
    for goesOn in [false, true] {
      let kind = goesOn ? "\(name), and going on" : name
      await explore(kind, after: base, operations, effects, goesOn: goesOn)
    }
  }

  private func explore(
    _ name: String, after base: StoreRun?, _ operations: [Operation], _ effects: [DiskFault.Effect],
    goesOn: Bool
  ) async {
    // How many calls there are without what follows on the healthy disk.
    let files = SimulatedFileSystem(base?.files.seenImage ?? DiskImage())
    let trial = Self.run(files, CrashRecorder(files), after: base)
    run(trial, operations)
    #expect(trial.mismatches.isEmpty, "\(trial.mismatches)")
    let auditor = StoreAuditor()
    var failures: [String] = []
    let explorer = FaultExplorer(effects: effects, seed: 1, calls: 1...files.callCount)
    let found = await explorer.explore(from: base?.files.seenImage ?? DiskImage()) {
      (files, recorder) in
      files.losesNames = false
      let new = Self.run(files, recorder, after: base)
      run(new, operations)
      files.clearFaults()
      do {
        if goesOn {
          try new.openAgain()
          try new.perform(.edit)
        }
      } catch {
        new.expect(false, "on a healthy disk: \(error)")
      }
      auditor.states = new.states
      failures += new.mismatches.prefix(1).map {
        "\($0)\n\(files.calls.filter { $0.code != 0 }.prefix(3))\n"
          + "\(files.history.log(upTo: .max, count: 40))"
      }
      files.killProcess()
    } check: {
      auditor.discrepancy($0, $1)
    }
    failures += found.failures
    reportCount(
      "Faults, \(name): \(found.runCount) runs, \(found.caseCount) cases, "
        + "\(auditor.openedCount) unequal disks opened, \(failures.count) failures")
    #expect(failures.isEmpty, "\(failures.prefix(3).joined(separator: "\n\n"))")
  }

  private static func run(
    _ files: SimulatedFileSystem, _ recorder: CrashRecorder, after base: StoreRun?
  ) -> StoreRun {
    base.map { StoreRun(files, recorder, after: $0) } ?? StoreRun(files, recorder)
  }

  @Test("Creating a store")
  func creation() async throws {
    await explore("creation", after: nil, [.edit])
  }

  @Test("Calls that are interrupted are made again, but for synchronizations")
  func interruptions() throws {
    let operations: [Operation] = [.edit, .large, .exchange, .compact, .reopen, .edit]
    func play(_ files: SimulatedFileSystem) throws -> StoreRun {
      let run = StoreRun(files, CrashRecorder(files))
      try run.run(operations)
      try run.close()
      return run
    }
    let trial = SimulatedFileSystem()
    let expected = try play(trial).state
    for (index, call) in trial.calls.enumerated()
    where ![.close, .synchronize, .synchronizeNames].contains(call.kind) {
      let files = SimulatedFileSystem()
      files.schedule(DiskFault(.fails(4), number: index + 1))
      do {
        let run = try play(files)
        #expect(run.mismatches.isEmpty, "\(call): \(run.mismatches)")
        #expect(run.state == expected, "\(call)")
      } catch {
        Issue.record("\(call): \(error)")
      }
    }
  }

  /// The effects to try: all in long runs, and one in builds that aren't optimized.
  private static func effects(_ some: [DiskFault.Effect]) -> [DiskFault.Effect] {
    isLongRun ? FaultExplorer.everyEffect : isOptimized ? some : Array(some.prefix(1))
  }

  @Test("Commits, sessions and new segments")
  func commits() async throws {
    let files = SimulatedFileSystem()
    let base = StoreRun(files, CrashRecorder(files))
    try base.run([.edit, .delete])
    try base.close()
    await explore(
      "commits", after: base, [.large, .apply, .relaxed, .exchange, .large, .restored, .edit],
      effects: Self.effects([.fails(5), .failsDone(5), .isShort(7)]))
  }

  @Test("Compaction, schemas and migrations")
  func compaction() async throws {
    let files = SimulatedFileSystem()
    let base = StoreRun(files, CrashRecorder(files))
    try base.run([.edit, .exchange, .compact, .large, .edit])
    try base.close()
    await explore(
      "compaction", after: base, [.delete, .compact, .edit, .compact, .schema],
      effects: Self.effects([.fails(28), .failsDone(5), .fails(4)]))
  }

  @Test("Recovery of a log that is torn")
  func recovery() async throws {
    let files = SimulatedFileSystem()
    let base = StoreRun(files, CrashRecorder(files))
    try base.run([.edit, .compact, .large, .edit, .edit])
    let path = "/s/segments/0000000000000003.segment"
    let image = files.seenImage
    let bytes = try #require(image[path])
    files.killProcess()
    // The commit before is the last one that is whole.
    let torn = SimulatedFileSystem(image.replacing(path, with: bytes + [1, 2, 3]))
    let start = StoreRun(torn, CrashRecorder(torn), after: base)
    await explore("recovery", after: start, [.edit])
  }
}
