import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Power cuts and failing calls while a store publishes, merges files and takes in.
@Suite("A relay's folder and crashes")
struct RelayCrashTests {
  private static func open(
    _ path: String, _ files: SimulatedFileSystem, replicasAfter first: UInt64
  ) throws -> Store {
    try TestStores(files, replicasAfter: first).open(path)
  }

  private static var options: FolderRelay.Options {
    var options = FolderRelay.Options.standard
    options.minimumMergedFiles = 2
    options.gracePeriod = .zero
    return options
  }

  /// Two stores that write and sync by turns; every put is acknowledged once it is
  /// durable.
  private static func work(_ files: SimulatedFileSystem, _ recorder: CrashRecorder) throws {
    let left = try open("/left", files, replicasAfter: 0)
    let right = try open("/right", files, replicasAfter: 10)
    let (mine, theirs) = (
      left.relay(at: "/relay", options: options), right.relay(at: "/relay", options: options)
    )
    for number in 1...4 {
      let store = number.isMultiple(of: 2) ? left : right
      recorder.issue()
      try store.put(.int(Int64(number)), of: "r\(number)")
      recorder.acknowledge()
      try mine.sync()
      try theirs.sync()
    }
    try left.close()
    try right.close()
  }

  /// What is wrong with what a crash has left: all that was acknowledged must reach
  /// both stores, and whoever comes new.
  private static func discrepancy(_ image: DiskImage, _ moment: CrashMoment) -> String? {
    let files = SimulatedFileSystem(image)
    do {
      let left = try open("/left", files, replicasAfter: 20)
      let right = try open("/right", files, replicasAfter: 30)
      for store in [left, right, left] {
        try store.sync(with: .folder("/relay", options: options))
      }
      let late = try open("/late", files, replicasAfter: 40)
      let report = try late.sync(with: .folder("/relay", options: options))
      guard report.isSynchronized, report.findings == [] else { return "\(report)" }
      for store in [right, late] where store.document != left.document {
        return "\(store.path) holds \(store.document.version), for \(left.document.version)"
      }
      guard left.document.forks.isEmpty else { return "a fork" }
      let records = Set(left.document.records(in: "c"))
      for number in moment.acknowledgedNumbers where !records.contains("r\(number)") {
        return "r\(number) is lost"
      }
      return files.misuses.isEmpty ? nil : "\(files.misuses)"
    } catch {
      return "\(error)"
    }
  }

  @Test("Power cuts at every call lose nothing", .timeLimit(.minutes(30)))
  func powerCuts() async {
    for order in [CrashChoices.NameOrder.unordered, .journaled] {
      var choices = CrashChoices.few
      choices.nameOrder = order
      let explorer = CrashExplorer(choices: choices, seed: 5)
      let found = await explorer.explore(
        { try Self.work($0, $1) }, check: { Self.discrepancy($0, $1) })
      #expect(found.failures == [])
      #expect(found.caseCount > 100)
    }
  }

  @Test("Calls that fail lose nothing", .timeLimit(.minutes(30)))
  func faults() async {
    let effects: [DiskFault.Effect] = isLongRun ? FaultExplorer.everyEffect : [.fails(5)]
    let explorer = FaultExplorer(effects: effects, seed: 5)
    let found = await explorer.explore(
      { try Self.work($0, $1) }, check: { Self.discrepancy($0, $1) })
    #expect(found.failures == [])
  }
}
