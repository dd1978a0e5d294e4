import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Power cuts and failing calls at every call that a store of blobs makes.
@Suite("A store of blobs that crashes")
struct BlobCrashTests {
  private func blob(_ number: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(number), count: 20 + number)
  }

  private func open(
    _ files: SimulatedFileSystem, _ sealing: (any Sealing)?
  ) async throws -> BlobStore {
    var options = BlobStore.Options()
    options.fileSystem = files
    options.sealing = sealing
    options.adoptsUnsealedFiles = true
    options.minimumFreeBytes = 0
    options.limits[.images] = BlobStore.Limits(softBytes: 60, hardBytes: 90)
    return try await BlobStore.open(at: "/blobs", options: options)
  }

  /// Operations 1 to 6 put in what must last; of the others anything may be left.
  private func work(
    _ files: SimulatedFileSystem, _ recorder: CrashRecorder, _ sealing: (any Sealing)? = nil
  ) async throws {
    let blobs = try await open(files, sealing)
    func perform(_ number: Int, _ body: () async throws -> Void) async throws {
      recorder.issue(number)
      try await body()
      recorder.acknowledge(number)
    }
    try await perform(1) { try await blobs.put(blob(1), as: .uploads, isSent: true) }
    try await perform(2) { try await blobs.put(blob(2), as: .images, isSent: false) }
    try await perform(3) {
      try await blobs.put(blob(3), as: .images, isSent: true)
      try await blobs.pin(BlobID(of: blob(3)))
    }
    try await perform(4) { try await blobs.put(blob(4), as: .documents, isSent: true) }
    try await perform(5) { try await blobs.put(blob(5), as: .images, isSent: true) }
    try await perform(6) { try await blobs.put(blob(5), as: .images, isSent: false) }
    try await perform(7) { try await blobs.markSent(BlobID(of: blob(5))) }
    // There is no room for these: what may go goes.
    try await perform(8) {
      for number in 6..<9 { try await blobs.put(blob(number), as: .images, isSent: true) }
    }
    await blobs.close()
  }

  /// What is wrong with what is left.
  private func discrepancy(
    _ image: DiskImage, _ moment: CrashMoment, _ sealing: (any Sealing)? = nil
  ) async -> String? {
    do {
      let files = SimulatedFileSystem(image)
      let blobs = try await open(files, sealing)
      let done = Set(moment.acknowledgedNumbers)
      for number in [1, 2, 3, 4] where done.contains(number) {
        guard try await blobs.get(BlobID(of: blob(number))) == blob(number) else {
          return "blob \(number) is lost"
        }
      }
      let unsent = try await blobs.unsent()
      for number in [1, 2] where done.contains(number) {
        if !unsent.contains(BlobID(of: blob(number))) { return "blob \(number) counts as sent" }
      }
      let isFiveUnsent = unsent.contains(BlobID(of: blob(5)))
      if done.contains(6), !moment.issuedNumbers.contains(7), !isFiveUnsent {
        return "blob 5 counts as sent"
      }
      if done.contains(7), isFiveUnsent { return "blob 5 is to be sent again" }
      for number in 1..<9 {
        // It is whole, or not there: damage would be an error.
        _ = try await blobs.get(BlobID(of: blob(number)))
      }
      _ = try await blobs.clearCache()
      if done.contains(3), try await !blobs.contains(BlobID(of: blob(3))) {
        return "blob 3 isn't pinned"
      }
      let id = try await blobs.put(blob(9), as: .documents, isSent: true)
      guard try await blobs.get(id) == blob(9) else { return "a further blob isn't kept" }
      return files.misuses.first
    } catch {
      return "\(error)"
    }
  }

  private static let powerCutOrders = [CrashChoices.NameOrder.journaled, .unordered]

  /// Sealing makes about twice as many calls, and changes nothing of how bytes tear.
  private func explorer(_ order: CrashChoices.NameOrder, isSealed: Bool) -> CrashExplorer {
    let most = isSealed && !isLongRun ? 1 : 3
    let choices = CrashChoices(
      nameOrder: order, tearMax: most, changeMax: most, randomCount: most == 1 ? 1 : 2)
    return CrashExplorer(choices: choices, seed: 7)
  }

  @Test(
    "Nothing that was put in and must last is lost or changed by power cuts",
    arguments: [nil, TestSealing()])
  func powerCuts(sealing: TestSealing?) async {
    for order in Self.powerCutOrders {
      let found = await explorer(order, isSealed: sealing != nil).explore(
        { try await work($0, $1, sealing) }, check: { await discrepancy($0, $1, sealing) })
      #expect(found.failures.isEmpty, "\(found.failures.first ?? "")")
      #expect(found.caseCount > 100)
    }
  }

  @Test("Nor by calls that fail", arguments: [nil, TestSealing()])
  func faults(sealing: TestSealing?) async {
    let effects: [DiskFault.Effect] =
      sealing == nil || isLongRun
      ? [.fails(5), .failsDone(5), .fails(28), .isShort(3)] : [.fails(5), .failsDone(5)]
    let explorer = FaultExplorer(effects: effects)
    let found = await explorer.explore(
      { try await work($0, $1, sealing) }, check: { await discrepancy($0, $1, sealing) })
    #expect(found.failures.isEmpty, "\(found.failures.first ?? "")")
    #expect(found.runCount > 500)
  }

  @Test("Nor while blobs are sealed that weren't, or sealed with another key")
  func sealingAnew() async {
    let (first, second) = (TestSealing(), TestSealing(key: 2))
    let both = RotatingSealing(second, opening: [first])
    let changes: [(from: TestSealing?, to: any Sealing)] = [(nil, first), (first, both)]
    for order in Self.powerCutOrders {
      for change in changes {
        let found = await explorer(order, isSealed: true).explore(
          { files, recorder in
            try await work(files, recorder, change.from)
            let blobs = try await open(files, change.to)
            try await blobs.reseal()
            recorder.issue(9)
            recorder.acknowledge(9)
            await blobs.close()
          },
          check: { image, moment in
            // When all is sealed anew, the former key is needed no more.
            let isDone = moment.acknowledgedNumbers.contains(9)
            let sealing: any Sealing = isDone && change.from != nil ? second : change.to
            return await discrepancy(image, moment, sealing)
          })
        #expect(found.failures.isEmpty, "\(found.failures.first ?? "")")
        #expect(found.caseCount > 100)
      }
    }
  }
}
