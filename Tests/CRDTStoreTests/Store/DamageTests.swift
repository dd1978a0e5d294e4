import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Every byte of small stores, damaged in turn.
///
/// A store opens with all that it held, or says what is damaged. It can't know of
/// commits at the end of its log that are gone without a trace, as if they had
/// never been written: cut off, zeros, or a last segment that is missing. Nor can
/// it tell damage within the last commit of a log that was not closed from a
/// commit that was cut short: that is set aside, and reported.
@Suite("A store whose files are damaged")
struct DamageTests {
  /// One damage to one file of one shape.
  private struct Case {
    let shape: DamagedShape
    let path: String
    let damage: FileDamage

    var original: [UInt8] { shape.image[path] ?? [] }
    var image: DiskImage { shape.image.replacing(path, with: damage.bytes) }
    var name: String { "\(shape.name), \(path): \(damage.name)" }

    /// The first byte that isn't as it was.
    var offset: Int {
      let bytes = damage.bytes ?? []
      for (place, pair) in zip(original, bytes).enumerated() where pair.0 != pair.1 {
        return place
      }
      return min(original.count, bytes.count)
    }

    /// Whether the head of the commit at an offset isn't as it was: then nothing tells that
    /// there was one.
    func hasLostHead(at offset: Int) -> Bool {
      (damage.bytes ?? []).dropFirst(offset).prefix(16) != original.dropFirst(offset).prefix(16)
    }

    /// Whether the file's end is gone and nothing is in its place.
    var isLostTail: Bool {
      guard let bytes = damage.bytes else { return true }
      return bytes.count <= original.count && bytes[offset...].allSatisfy { $0 == 0 }
    }
  }

  /// What was counted.
  private struct Tally {
    var cases = 0
    var whole = 0
    var torn = 0
    var refused = 0
    var salvaged = 0
    var failures: [String] = []
  }

  private func check(_ damaged: Case, _ tally: inout Tally, salvages: Bool) {
    tally.cases += 1
    do {
      let files = SimulatedFileSystem(damaged.image)
      let wrong: String?
      do throws(StoreError) {
        let store = try Store.open(
          at: StoreRun.path, options: StoreAuditor.options(files))
        wrong = try lookAt(store, damaged, files, &tally)
      } catch {
        wrong = try refused(error, damaged, &tally, salvages: salvages)
      }
      let leaked = files.openCount == 0 ? nil : "\(files.openCount) descriptors are still open"
      if let wrong = wrong ?? leaked { tally.failures.append("\(damaged.name): \(wrong)") }
    } catch {
      tally.failures.append("\(damaged.name): \(error)")
    }
  }

  /// What is wrong with a damaged store that has opened.
  private func lookAt(
    _ store: Store, _ damaged: Case, _ files: SimulatedFileSystem, _ tally: inout Tally
  ) throws(StoreError) -> String? {
    let shape = damaged.shape
    let (document, recovery) = (store.document, store.recovery)
    try store.edit { $0.set("after", of: "damage", in: "notes", to: true) }
    let after = store.document
    try store.close()
    let again = try Store.open(at: StoreRun.path, options: StoreAuditor.options(files))
    guard again.document == after, again.recovery.wasClosed else {
      return "after another commit: \(again.document.version), not \(after.version)"
    }
    try again.close()
    if document == shape.state.document {
      tally.whole += 1
      return nil
    }
    tally.torn += 1
    guard damaged.path == shape.lastSegment else { return "opened with other data" }
    let before = shape.stateBefore(damaged.offset, in: damaged.path)
    let isFileLost = damaged.damage.bytes == nil
    guard
      document == before.document
        || (isFileLost && document == shape.stateAtBeginning(of: damaged.path).document)
    else {
      return "opened with \(document.version), and before the damage was \(before)"
    }
    if damaged.isLostTail { return nil }
    if recovery.wasClosed { return "what is lost passes for closed in good order" }
    let last = shape.lastCommit(in: damaged.path)
    guard damaged.offset >= last || damaged.hasLostHead(at: last) else {
      return "damage before the last commit passes for a torn tail"
    }
    guard recovery.bytesSetAside > 0, let bytes = damaged.damage.bytes,
      isSetAside(Array(bytes.suffix(recovery.bytesSetAside)), files)
    else { return "what was cut off is not set aside" }
    return nil
  }

  private func isSetAside(_ bytes: [UInt8], _ files: SimulatedFileSystem) -> Bool {
    files.seenImage.files.contains { $0.key.contains("/quarantine/") && $0.value == bytes }
  }

  /// What is wrong with the refusal of a damaged store, and with saving it.
  private func refused(
    _ error: StoreError, _ damaged: Case, _ tally: inout Tally, salvages: Bool
  ) throws -> String? {
    tally.refused += 1
    switch error {
    case .damaged: break
    // It is as if a later version had written it, which salvaging must not touch.
    case .newerFormat: return nil
    default: return "refused with \(error)"
    }
    guard salvages else { return nil }
    tally.salvaged += 1
    let files = SimulatedFileSystem(damaged.image)
    let found = try Store.verify(
      at: StoreRun.path, fileSystem: files, sealing: TestSealing.inUse)
    if found.isSound { return "opening says “\(error)”, and verifying finds nothing" }
    let options = StoreAuditor.options(files)
    let report = try Store.salvage(at: StoreRun.path, options: options)
    if files.openCount > 0 { return "salvaging leaves descriptors open" }
    if let bytes = damaged.damage.bytes, !damaged.damage.isOwn, !isKept(bytes, files) {
      return "the damaged bytes are gone: \(report)"
    }
    let store = try Store.open(at: StoreRun.path, options: options)
    let document = store.document
    try store.edit { $0.set("after", of: "salvage", in: "notes", to: true) }
    try store.close()
    let whole = damaged.shape.state.document
    let wanted =
      damaged.path.hasSuffix(".segment")
      ? damaged.shape.stateBefore(damaged.offset, in: damaged.path).document : whole
    if let invented = damaged.shape.invented(in: document) {
      return "what was salvaged never was there: \(invented)"
    }
    if !document.version.contains(wanted.version) {
      return "salvaged \(document.version) of \(wanted.version) before the damage: \(report)"
    }
    let again = try Store.verify(
      at: StoreRun.path, fileSystem: files, sealing: TestSealing.inUse)
    return again.isSound ? nil : "after salvaging: \(again.findings)"
  }

  /// Whether some file still holds the damaged bytes.
  private func isKept(_ bytes: [UInt8], _ files: SimulatedFileSystem) -> Bool {
    files.seenImage.files.contains { $0.value == bytes }
  }

  private func report(_ name: String, _ tally: Tally) {
    reportCount(
      "\(name): \(tally.cases) damaged stores, \(tally.whole) open with everything, "
        + "\(tally.torn) without the last commits, \(tally.refused) refused, "
        + "\(tally.salvaged) of them salvaged, \(tally.failures.count) failures")
    #expect(tally.failures.isEmpty, "\(tally.failures.prefix(20).joined(separator: "\n"))")
  }

  @Test("Every byte of every file", arguments: 0..<2)
  func bytes(shard: Int) throws {
    var tally = Tally()
    for (number, shape) in try DamagedShape.all().enumerated() where number % 2 == shard {
      for (path, bytes) in shape.image.files.sorted(by: { $0.key < $1.key }) {
        let damages = FileDamage.every(of: bytes, isWhole: isLongRun, seed: UInt64(number))
        for (place, damage) in damages.enumerated() where playsAll || place % 7 == 0 {
          let damaged = Case(shape: shape, path: path, damage: damage)
          check(damaged, &tally, salvages: isLongRun || place % 16 == 0)
        }
      }
    }
    report("Damage, part \(shard + 1) of 2", tally)
    #expect(tally.cases > (playsAll ? 5_000 : 700))
  }

  @Test("Every byte of every file of sealed stores: with the key, all is as without sealing")
  func sealedBytes() throws {
    try TestSealing.$inUse.withValue(TestSealing()) {
      var tally = Tally()
      let shapes = try [
        DamagedShape("sealed log", [.edit, .delete], closes: false),
        DamagedShape("sealed snapshot", [.edit, .compact, .edit, .delete], closes: true),
      ]
      for (number, shape) in shapes.enumerated() {
        for (path, bytes) in shape.image.files.sorted(by: { $0.key < $1.key }) {
          let damages = FileDamage.every(of: bytes, isWhole: isLongRun, seed: UInt64(number))
          for (place, damage) in damages.enumerated() where playsAll || place % 7 == 0 {
            let damaged = Case(shape: shape, path: path, damage: damage)
            check(damaged, &tally, salvages: isLongRun || place % 16 == 0)
          }
        }
      }
      report("Damage of sealed stores", tally)
      #expect(tally.cases > (playsAll ? 2_000 : 280))
    }
  }

  @Test("Files in the place of others, and of another store's", arguments: [false, true])
  func exchangedFiles(isSealed: Bool) throws {
    try TestSealing.$inUse.withValue(isSealed ? TestSealing() : nil) { try exchangeFiles() }
  }

  private func exchangeFiles() throws {
    var tally = Tally()
    let shapes = try DamagedShape.all()
    let other = try DamagedShape(
      "other", [.large, .delete, .compact, .large, .compact, .exchange, .edit], closes: true,
      number: 500)
    for shape in shapes {
      for path in shape.image.files.keys.sorted() where !path.hasSuffix("LOCK") {
        var others = shape.image.files.filter { $0.key != path && !$0.key.hasSuffix("LOCK") }
        others["of another store"] = other.image[path]
        for (name, bytes) in others.sorted(by: { $0.key < $1.key }) {
          let damage = FileDamage(name: "is \(name)", bytes: bytes)
          check(Case(shape: shape, path: path, damage: damage), &tally, salvages: true)
        }
      }
    }
    report("Exchanged files", tally)
  }

  @Test("A manifest of former times leads to all that was acknowledged, or nowhere")
  func olderManifests() throws {
    var tally = Tally()
    for shape in try DamagedShape.all() {
      for (number, image) in shape.older.enumerated() {
        let path = "\(StoreRun.path)/MANIFEST"
        let damage = FileDamage(
          name: "as before step \(number)", bytes: image[path], isOwn: true)
        check(Case(shape: shape, path: path, damage: damage), &tally, salvages: true)
      }
    }
    report("Older manifests", tally)
  }

  @Test("Verifying finds every byte that is another, whether it matters or not")
  func verifying() throws {
    for sealing in [nil, TestSealing()] {
      try TestSealing.$inUse.withValue(sealing) { try verifyDamaged() }
    }
  }

  private func verifyDamaged() throws {
    let shape = try DamagedShape("a snapshot and a log", [.edit, .compact, .edit], closes: true)
    var random = SeededGenerator(seed: 8)
    for (path, bytes) in shape.image.files.sorted(by: { $0.key < $1.key })
    where !path.hasSuffix("CLOSED") {
      // The end may be a commit that was cut short.
      let end = path == shape.lastSegment ? shape.lastCommit(in: path) : bytes.count
      for place in 0..<end {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(random.next() % 8)
        let files = SimulatedFileSystem(shape.image.replacing(path, with: damaged))
        do throws(StoreError) {
          let report = try Store.verify(
            at: StoreRun.path, fileSystem: files, sealing: TestSealing.inUse)
          #expect(report.findings.contains { $0.path == path }, "\(path), byte \(place)")
        } catch {
          guard case .newerFormat = error else {
            Issue.record("\(path), byte \(place): \(error)")
            continue
          }
        }
      }
    }
  }

  @Test("Whole commits that are lost, doubled or exchanged are damage, whatever builds on them")
  func wholeCommits() throws {
    let (first, second) = (
      "\(StoreRun.path)/segments/0000000000000001.segment",
      "\(StoreRun.path)/segments/0000000000000002.segment"
    )
    let stores = TestStores()
    let store = try stores.open(StoreRun.path) { $0.segmentBytes = 500 }
    var starts: [Int] = []
    var writer: UInt64 = 100
    // Of different writers: what is left without one of them applies as well.
    while stores.files.seenImage[second] == nil {
      starts.append(stores.files.seenImage[first]?.count ?? 0)
      var other = Document()
      let stamp = HybridTimestamp(milliseconds: writer, replica: ReplicaID(writer))
      try store.apply(
        other.edit(at: stamp) { $0.set("value", of: "r\(writer)", in: "c", to: 1) })
      writer += 1
    }
    try store.close()
    let image = stores.files.seenImage
    let bytes = try #require(image[first])
    let frames = zip(starts, starts.dropFirst() + [bytes.count]).map { Array(bytes[$0..<$1]) }
    let last = frames.count - 1
    try #require(last > 2)
    // Alone, the first segment is the last one.
    for image in [image, image.replacing(second, with: nil)] {
      let isLast = image[second] == nil
      var damages: [(name: String, frames: [[UInt8]])] = []
      for place in 0...last {
        var (lost, doubled, exchanged, changed) = (frames, frames, frames, frames)
        lost.remove(at: place)
        doubled.insert(frames[place], at: place)
        exchanged.swapAt(place, max(place - 1, 0))
        changed[place][frames[place].count - 1] ^= 1
        if place > 0 { damages.append(("\(place) before the one before it", exchanged)) }
        // Nothing tells what is wrong with the last of all from a commit that was cut
        // short, or never begun.
        if place == last, isLast { continue }
        damages += [
          ("without \(place)", lost), ("\(place) twice", doubled), ("\(place) changed", changed),
        ]
      }
      // Behind a commit that was cut short there is nothing.
      var changed = frames
      changed[last][frames[last].count - 1] ^= 1
      damages.append(("\(last) changed, and bytes behind it", changed + [[1, 2, 3]]))
      for damage in damages {
        let damaged = image.replacing(
          first, with: Array(bytes[..<starts[0]]) + damage.frames.joined())
        let opened = Result {
          try TestStores(SimulatedFileSystem(damaged)).open(StoreRun.path)
        }
        guard case .failure(let error) = opened, case .damaged(first, _, _)? = error as? StoreError
        else {
          Issue.record("\(damage.name) of \(last), in the last segment: \(isLast): \(opened)")
          continue
        }
      }
    }
  }

  @Test("The document in a snapshot is the one that its head speaks of")
  func exchangedDocument() throws {
    // Two stores whose snapshots have the same length.
    func image(_ value: Int64) throws -> DiskImage {
      let stores = TestStores()
      let store = try stores.open(StoreRun.path)
      try store.put(.int(value))
      try store.compact()
      try store.close()
      return stores.files.seenImage
    }
    let path = "\(StoreRun.path)/snapshots/0000000000000001.snapshot"
    let (here, there) = (try image(1), try image(2))
    let (bytes, others) = (try #require(here[path]), try #require(there[path]))
    #expect(bytes.count == others.count)
    let documentSize = try TestStores(SimulatedFileSystem(here)).open(StoreRun.path)
      .document.encoded().count
    let exchanged = bytes.dropLast(documentSize) + others.suffix(documentSize)
    #expect(exchanged.count == bytes.count && Array(exchanged) != bytes)
    let damaged = TestStores(
      SimulatedFileSystem(here.replacing(path, with: Array(exchanged))))
    #expect {
      try damaged.open(StoreRun.path)
    } throws: { error in
      if case .damaged(path, _, _)? = error as? StoreError { true } else { false }
    }
  }

  @Test("Damage to what is kept for peers leads no peer astray", arguments: [false, true])
  func history(isSealed: Bool) throws {
    try TestSealing.$inUse.withValue(isSealed ? TestSealing() : nil) { try damageHistory() }
  }

  private func damageHistory() throws {
    let shape = try DamagedShape(
      "history", [.edit, .exchange, .edit, .delete, .large, .compact, .edit], closes: true)
    let path = "\(StoreRun.path)/segments/0000000000000001.segment"
    let bytes = try #require(shape.image[path])
    var random = SeededGenerator(seed: 7)
    let peer = shape.steps[1].state.document
    for place in stride(from: 0, to: bytes.count, by: isLongRun ? 1 : 4) {
      var damaged = bytes
      damaged[place] ^= 1 << UInt8(random.next() % 8)
      let files = SimulatedFileSystem(shape.image.replacing(path, with: damaged))
      let run = StoreRun(files, CrashRecorder(files), after: shape.run)
      try run.open()
      let document = try run.exchange(with: peer, as: ReplicaID(601))
      #expect(document == run.store?.document, "byte \(place)")
      #expect(document == run.state.document, "byte \(place)")
      try run.close()
      #expect(run.mismatches.isEmpty, "byte \(place): \(run.mismatches)")
    }
  }
}
