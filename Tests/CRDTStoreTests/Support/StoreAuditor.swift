import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// Opens what a crash left of a store, and checks it against what was promised.
///
/// What is found in an image does not depend on how it came to be: equal images
/// are opened once.
final class StoreAuditor {
  /// What the store held after each step.
  var states: [StoreState] = []
  /// Of how many images one is written to as well, and opened again.
  var thoroughStride = 1
  /// How many images were opened.
  private(set) var openedCount = 0
  private var findings: [UInt64: Finding] = [:]

  /// What opening an image came to.
  private struct Finding {
    var state = StoreState()
    /// The time of the commit that was made then.
    var time: UInt64?
    var problem: String?
  }

  /// What shows that the store takes a replica without need.
  static let stranger = ReplicaID(999_999)

  static func options(_ files: any FileSystem) -> Store.Options {
    var options = Store.Options()
    options.fileSystem = files
    options.sealing = TestSealing.inUse
    options.adoptsUnsealedFiles = true
    // The machine has lost its time, too.
    options.clock = ManualClock(milliseconds: 0)
    options.compaction = .manual
    options.segmentBytes = 700
    options.minimumFreeBytes = 0
    options.makeReplica = { stranger }
    options.makeDocumentID = { TestStores.document }
    // What is predicted knows of no stretches.
    options.makeStretchNonce = { nil }
    return options
  }

  /// What is wrong with a disk, given how far the workload was.
  func discrepancy(_ image: DiskImage, _ moment: CrashMoment) -> String? {
    let found = finding(image)
    if let problem = found.problem { return problem }
    let first = moment.acknowledgedNumbers.max() ?? 0
    let allowed = [first] + moment.issuedNumbers.filter { $0 > first }
    guard allowed.contains(where: { isHeld(states[$0], found.state) }) else {
      let names = allowed.map { "\($0): \(states[$0])" }.joined(separator: "\n")
      return "found \(found.state), none of\n\(names)"
    }
    guard found.time ?? .max > states[first].document.latestTimestamp?.time ?? 0 else {
      return "the clock went back"
    }
    return nil
  }

  private func isHeld(_ state: StoreState, _ found: StoreState) -> Bool {
    if state.replica == nil {
      return found.replica == Self.stranger && found.document == state.document
    }
    var state = state
    // Without another commit it isn't known.
    if found.schemaVersion == .max { state.schemaVersion = .max }
    return state == found
  }

  private func finding(_ image: DiskImage) -> Finding {
    if let known = findings[image.fingerprint] { return known }
    openedCount += 1
    let files = SimulatedFileSystem(image)
    var found = Finding()
    do {
      try look(files, &found)
      if files.openCount > 0 { found.problem = "\(files.openCount) descriptors are still open" }
    } catch {
      found.problem = "it doesn't open: \(error)"
    }
    if let misuse = files.misuses.first { found.problem = misuse }
    findings[image.fingerprint] = found
    return found
  }

  /// Opens the store, commits, closes and opens again.
  private func look(_ files: SimulatedFileSystem, _ found: inout Finding) throws {
    var options = Self.options(files)
    let store = try Store.open(at: StoreRun.path, options: options)
    found.state = StoreState(document: store.document, replica: store.replica)
    guard openedCount % thoroughStride == 0 else {
      found.state.schemaVersion = .max
      return try store.close()
    }
    try store.edit { $0.set("after", of: "crash", in: "notes", to: true) }
    let after = store.document
    found.time = after.latestTimestamp?.time ?? 0
    try store.close()
    // Says at which version the records are; it isn't called where they are at the
    // newest.
    let version = Locked<UInt64>(0)
    options.schemaVersion = .max
    options.migrate = { from, _ in version.withLock { $0 = from } }
    let again = try Store.open(at: StoreRun.path, options: options)
    found.state.schemaVersion = version.withLock { $0 }
    if again.document != after || again.replica != found.state.replica {
      found.problem =
        "after another commit and a restart: \(again.document.version) by \(again.replica), "
        + "not \(after.version) by \(store.replica)"
    }
    if !again.recovery.wasClosed { found.problem = "closing leaves no trace" }
    try again.close()
  }
}
