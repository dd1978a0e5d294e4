import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@Suite("Explorers of crashes and faults")
struct ExplorerTests {
  typealias Mistake = ToyLog.Mistake

  private func crash(
    _ mistake: Mistake?, _ order: CrashChoices.NameOrder, seed: UInt64 = 1
  ) async -> Exploration {
    let explorer = CrashExplorer(choices: CrashChoices(nameOrder: order), seed: seed)
    return await explorer.explore(ToyLog.workload(mistake)) { image, moment in
      ToyLog.discrepancy(image, moment, mistake)
    }
  }

  private func fail(_ mistake: Mistake?) async -> Exploration {
    await FaultExplorer().explore(ToyLog.workload(mistake)) { image, moment in
      ToyLog.discrepancy(image, moment, mistake)
    }
  }

  @Test("A log that synchronizes what it acknowledges survives every power cut")
  func soundLogCrashes() async {
    for order in [.journaled, .unordered] as [CrashChoices.NameOrder] {
      let found = await crash(nil, order)
      #expect(found.failures.isEmpty, "\(found)")
      #expect(found.caseCount > 250, "\(found)")
    }
  }

  @Test("A log that synchronizes what it acknowledges survives every fault")
  func soundLogFaults() async {
    let found = await fail(nil)
    #expect(found.failures.isEmpty, "\(found)")
    #expect(found.runCount > 300, "\(found)")
  }

  @Test(
    "A mistake that only a power cut shows is found",
    arguments: [
      .noFileSync, .noFolderSync, .noParentSync, .noSyncBeforeRename, .noSyncAfterRename,
      .noChecksum, .noRename,
    ] as [Mistake])
  func mistakesInCrashes(_ mistake: Mistake) async {
    let found = await crash(mistake, .unordered)
    #expect(!found.failures.isEmpty, "\(found)")
  }

  @Test("A journal keeps earlier names, but hides no other mistake", arguments: Mistake.allCases)
  func mistakesInJournal(_ mistake: Mistake) async {
    let found = await crash(mistake, .journaled)
    let isHidden = [.noParentSync, .trustAfterFailure, .noLoop].contains(mistake)
    #expect(found.failures.isEmpty == isHidden, "\(found)")
  }

  @Test(
    "A mistake that only a failed call shows is found",
    arguments: [.trustAfterFailure, .noLoop] as [Mistake])
  func mistakesInFaults(_ mistake: Mistake) async {
    let found = await fail(mistake)
    #expect(!found.failures.isEmpty, "\(found)")
  }

  @Test("A recovery that is cut short may lose nothing", arguments: [false, true])
  func recovery(inPlace: Bool) async {
    let found = await CrashExplorer(seed: 1).explore(
      ToyLog.workload(nil),
      recover: { try ToyLog.recover($0, inPlace: inPlace) },
      check: { ToyLog.discrepancy($0, $1, nil) })
    #expect(found.failures.isEmpty != inPlace, "\(found)")
    #expect(found.failures.allSatisfy { $0.contains("cut again in recovery") }, "\(found)")
    #expect(found.runCount > 5, "\(found)")
  }

  @Test("A failure says what it takes to see it again")
  func reports() async throws {
    let found = await crash(.noFileSync, .unordered, seed: 77)
    let failure = try #require(found.failures.first)
    #expect(failure.contains("seed 77"))
    #expect(failure.contains("power cut after call"))
    #expect(failure.contains("pwrite log 200"))
    #expect(failure.contains("/toy/log"))
  }

  @Test("The same seed makes the same images")
  func sameSeed() throws {
    let files = SimulatedFileSystem()
    try ToyLog.workload(.noFileSync)(files, CrashRecorder(files))
    let history = files.history
    for call in 0...files.callCount {
      let images = history.images(atCall: call, seed: 5).map(\.image)
      #expect(images == history.images(atCall: call, seed: 5).map(\.image))
      #expect(Set(images).count == images.count)
      #expect(images.first == history.seenImage(atCall: call))
    }
  }

  @Test("What a killed process left unsafe stays unsafe for the next one")
  func killedProcess() async {
    for isCareful in [false, true] {
      let found = await CrashExplorer().explore { files, recorder in
        try files.makeFolder(at: "/toy")
        try files.synchronizeNames(in: files.openFolder(at: "/"))
        let folder = try files.openFolder(at: "/toy")
        _ = try files.open("log", in: folder, for: .creating)
        files.killProcess()
        let again = try files.openFolder(at: "/toy")
        let file = try files.open("log", in: again, for: .writing)
        recorder.issue()
        try files.write([UInt8](repeating: 1, count: 200), to: file)
        try files.synchronize(file)
        if isCareful { try files.synchronizeNames(in: again) }
        recorder.acknowledge()
      } check: { image, moment in
        ToyLog.discrepancy(image, moment, nil)
      }
      #expect(found.failures.isEmpty == isCareful, "\(found)")
    }
  }

  @Test("What is done on the way is noted in the order of calls")
  func moments() {
    let files = SimulatedFileSystem()
    let recorder = CrashRecorder(files)
    recorder.issue()
    _ = try? files.openFolder(at: "/")
    recorder.acknowledge()
    recorder.issue()
    #expect(recorder.moment(atCall: 0).issued == 1)
    #expect(recorder.moment(atCall: 0).acknowledged == 0)
    #expect(recorder.moment(atCall: 1).issuedNumbers == [1, 2])
    #expect(recorder.moment(atCall: 1).acknowledgedNumbers == [1])
  }
}
