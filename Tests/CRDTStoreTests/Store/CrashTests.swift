import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Power cuts at every call of everything that a store does.
///
/// What is left must open, hold what was acknowledged or a later state that was
/// under way, as it was, and take further commits.
@Suite("A store that crashes")
struct CrashTests {
  typealias Operation = StoreOperation

  /// What several explorations came to.
  private struct Tally {
    var crashes = 0
    var cases = 0
    var images = 0
    var workloads = 0
    var failures: [String] = []

    mutating func add(_ found: Exploration, _ run: StoreRun?, _ name: String) {
      crashes += found.crashCount
      cases += found.caseCount
      workloads += 1
      failures += found.failures.map { "\(name)\n\($0)" }
      failures += run?.mismatches.map { "\(name)\n\($0)" } ?? []
    }

    func report(_ name: String) {
      reportCount(
        "\(name): \(workloads) workloads, \(crashes) crashes, \(cases) unequal cases, "
          + "\(images) unequal disks opened, \(failures.count) failures")
    }
  }

  /// Runs a workload and cuts the power at each of the calls that it marked.
  private func explore(
    _ name: String, after base: StoreRun? = nil, _ explorer: CrashExplorer,
    _ auditor: StoreAuditor, _ tally: inout Tally, recovers: Bool = false,
    _ workload: (StoreRun) throws -> Void
  ) async {
    var run: StoreRun?
    let found = await explorer.explore(
      from: base?.files.seenImage ?? DiskImage(),
      { files, recorder in
        let new = base.map { StoreRun(files, recorder, after: $0) } ?? StoreRun(files, recorder)
        run = new
        defer { auditor.states = new.states }
        try workload(new)
      },
      recover: recovers
        ? { files in
          try Store.open(at: StoreRun.path, options: StoreAuditor.options(files)).close()
        } : nil,
      check: { auditor.discrepancy($0, $1) })
    tally.add(found, run, name)
    // What the store does when it goes needn't be waited for.
    run?.files.killProcess()
  }

  /// A store that has all kinds of files, closed.
  private func base() throws -> StoreRun {
    let files = SimulatedFileSystem()
    let run = StoreRun(files, CrashRecorder(files))
    try run.run([.edit, .exchange, .compact, .edit])
    try run.close()
    return run
  }

  @Test("Every sequence of up to three operations", arguments: 0..<2)
  func sequences(shard: Int) async throws {
    let base = try base()
    let auditor = StoreAuditor()
    auditor.thoroughStride = isLongRun ? 1 : 8
    var tally = Tally()
    let choices =
      isLongRun
      ? CrashChoices(tearMax: 40, changeMax: 8, randomCount: 20)
      : CrashChoices(tearMax: 4, changeMax: 2, randomCount: 1)
    var place = 0
    func cut(_ operations: [Operation]) async {
      place += 1
      guard place % 2 == shard, tally.failures.count < 3 else { return }
      guard playsAll || operations.count < 3 || place / 2 % 16 == 0 else { return }
      let explorer = CrashExplorer(choices: choices, seed: UInt64(place))
      await explore("\(operations)", after: base, explorer, auditor, &tally) {
        try $0.run(cutting: operations)
      }
    }
    await cut([])
    for first in Operation.allCases {
      await cut([first])
      for second in Operation.allCases {
        await cut([first, second])
        for third in Operation.allCases { await cut([first, second, third]) }
      }
    }
    tally.images = auditor.openedCount
    tally.report("Sequences of operations, part \(shard + 1) of 2")
    #expect(tally.failures.isEmpty, "\(tally.failures.prefix(3).joined(separator: "\n\n"))")
    #expect(tally.crashes >= (playsAll ? 50_000 : 2_500), "only \(tally.crashes) crashes")
  }

  @Test("Long workloads, from the creation on, and crashes of the recovery")
  func random() async throws {
    try await cutRandomly("Long workloads", seeds: scheduleCount(6, long: 400))
  }

  @Test("Long workloads of a sealed store")
  func sealed() async throws {
    try await TestSealing.$inUse.withValue(TestSealing()) {
      try await cutRandomly("Long workloads, sealed", seeds: scheduleCount(3, long: 100))
    }
  }

  @Test("A store that was not sealed and is taken over with a sealing")
  func becomingSealed() async throws {
    let base = try base()
    let auditor = StoreAuditor()
    var tally = Tally()
    await TestSealing.$inUse.withValue(TestSealing()) {
      let all: [[Operation]] = [[.edit, .compact], [], [.exchange, .edit]]
      for operations in all.prefix(playsAll ? 3 : 1) {
        let explorer = CrashExplorer(
          choices: CrashChoices(tearMax: 6, changeMax: 4, randomCount: 4), seed: 1)
        await explore("\(operations)", after: base, explorer, auditor, &tally, recovers: true) {
          $0.recorder.start()
          try $0.run(operations)
        }
      }
    }
    tally.images = auditor.openedCount
    tally.report("Stores that come to be sealed")
    #expect(tally.failures.isEmpty, "\(tally.failures.prefix(3).joined(separator: "\n\n"))")
    #expect(tally.crashes > 50, "only \(tally.crashes) crashes")
  }

  private func cutRandomly(_ name: String, seeds: UInt64) async throws {
    let auditor = StoreAuditor()
    var tally = Tally()
    for seed in 0..<seeds where tally.failures.count < 3 {
      var random = SeededGenerator(seed: seed)
      let operations = (0..<12).compactMap { _ in
        Operation.allCases.randomElement(using: &random)
      }
      var choices = CrashChoices(tearMax: 6, changeMax: 4, randomCount: 4)
      choices.nameOrder = seed % 2 == 0 ? .unordered : .journaled
      var explorer = CrashExplorer(choices: choices, seed: seed)
      explorer.recoveryStride = isLongRun ? 4 : 16
      await explore("seed \(seed): \(operations)", explorer, auditor, &tally, recovers: true) {
        $0.segmentBytes = 300 + Int(seed % 4) * 300
        try $0.run(operations)
      }
    }
    tally.images = auditor.openedCount
    tally.report(name)
    #expect(tally.failures.isEmpty, "\(tally.failures.prefix(3).joined(separator: "\n\n"))")
  }

  @Test("A process that is killed at any call, one that goes on, and then a power cut")
  func kills() async throws {
    let auditor = StoreAuditor()
    auditor.thoroughStride = isLongRun ? 1 : 2
    var tally = Tally()
    let operations: [Operation] = [.edit, .large, .relaxed, .exchange, .compact, .schema, .delete]
    let files = SimulatedFileSystem()
    let trial = StoreRun(files, CrashRecorder(files))
    try trial.run(operations)
    let choices = CrashChoices(tearMax: 1, changeMax: 2, randomCount: 1)
    for call in 0..<files.callCount where tally.failures.count < 3 {
      let explorer = CrashExplorer(choices: choices, seed: UInt64(call))
      await explore("killed before call \(call + 1)", explorer, auditor, &tally) { run in
        run.files.callMax = call
        try? run.run(operations)
        run.recorder.start()
        try run.killAndOpen()
        try run.perform(.edit)
      }
    }
    tally.images = auditor.openedCount
    tally.report("Kills and then power cuts")
    #expect(tally.failures.isEmpty, "\(tally.failures.prefix(3).joined(separator: "\n\n"))")
  }
}
