import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// Opens, checks and salvages a store's folder that was damaged, and says what is wrong with what
/// comes of it.
struct StoreJudge {
  /// What a file may be that is read as it is, and a stretch in which heads are looked for.
  static let requestMax = 1 << 26 + 1 << 17

  let store: FuzzedStore
  let contents: FolderContents
  let isForged: Bool
  let hasOthers: Bool
  let root: String
  let makeGround: () throws -> FuzzedGround

  private var isSealed: Bool { store.sealing != nil }

  /// What stands in its place as it was.
  private func isUntouched(_ path: String) -> Bool { contents[path] == store.contents[path] }

  /// Whether something keeps all from being read that is no damage of one file: its lock, or a
  /// folder.
  private var isBarred: Bool {
    contents.contains { path, item in
      (path == "LOCK" && (item.kind != .file || item.isForbidden))
        || ["segments", "snapshots", "quarantine"].contains(path)
    }
  }

  /// Whether the system forbids something that a salvager would lose if it went on.
  private var isForbidden: Bool { contents.values.contains { $0.isForbidden } }

  /// The segments and snapshots, by their names.
  private var files: [FolderItem] {
    contents.filter { $0.key.hasPrefix("segments/") || $0.key.hasPrefix("snapshots/") }
      .map(\.value)
  }

  /// Whether there are as many files of another store as there are of this one that are as they
  /// were, so that nobody can tell which one it is.
  private var isOutnumbered: Bool {
    guard hasOthers else { return false }
    let own = untouchedFiles.filter { $0 != "MANIFEST" }.count
    return files.filter { FrameFormat.store(of: $0.bytes) == 9 }.count >= own
  }

  /// Whether files go on being changed once they were salvaged.
  private var isGrowing: Bool { contents.values.contains { !$0.growth.isEmpty } }

  private var untouchedFiles: [String] {
    store.contents.keys.filter {
      ($0.hasPrefix("s") || $0 == "MANIFEST") && isUntouched($0)
    }.sorted()
  }

  /// Whether something can be read, so that checking and salvaging must not be refused.
  private func isUnexpected(_ error: StoreError) -> Bool {
    let isManifestThere = isUntouched("MANIFEST") && contents["MANIFEST"] != nil
    switch error {
    // Who has no key can't tell a sealed store from one in which somebody has put sealed files,
    // if the manifest doesn't say it.
    case .sealed where !isSealed && !isManifestThere:
      if files.contains(where: { FrameFormat.isSealed($0.bytes) }) { return false }
    // Nor can who doesn't know a format tell that nobody does, where two files are of it.
    case .newerFormat where !isManifestThere:
      if files.contains(where: { FrameFormat.version(of: $0.bytes) ?? 0 > 5 }) { return false }
    default: break
    }
    return !isBarred && !untouchedFiles.isEmpty
  }

  /// The first thing that is wrong; `nil` if nothing is.
  func discrepancy() throws -> String? {
    try verified() ?? opened(.readOnly) ?? opened(.readWrite) ?? salvaged()
  }

  private func options(_ ground: FuzzedGround) -> Store.Options {
    var options = FuzzedWorld(fileSystem: ground.fileSystem, sealing: store.sealing)
      .options(replica: 500)
    options.createsIfMissing = false
    return options
  }

  private func wrong(_ ground: FuzzedGround, _ step: String) -> String? {
    let load = ground.load()
    if load.requestMax > Self.requestMax { return "\(step): made room for \(load.requestMax)" }
    if load.openCount != 0 { return "\(step): \(load.openCount) descriptors are left open" }
    if load.calls > 200_000 { return "\(step): made \(load.calls) calls" }
    return nil
  }

  private func wrong(_ error: StoreError, _ step: String) -> String? {
    guard let path = error.fuzzedPath, path.hasPrefix(root) else {
      return "\(step): an error that names no file: \(error)"
    }
    return nil
  }

  private func verified() throws -> String? {
    let ground = try makeGround()
    do throws(StoreError) {
      let report = try Store.verify(
        at: root, fileSystem: ground.fileSystem, sealing: store.sealing)
      if let finding = report.findings.first(where: { !$0.path.hasPrefix(root) }) {
        return "verify: a finding that names no file: \(finding)"
      }
      // A wrong mark of the end asks for more, or says nothing.
      let isWhole = store.contents.keys.allSatisfy { path in
        isUntouched(path) || path == "LOCK" && contents[path]?.kind ?? .file == .file
      }
      let ownKinds = ["segments/", "snapshots/", "MANIFEST"]
      let isAlone = contents.keys.allSatisfy { path in
        store.contents[path] != nil || !ownKinds.contains { path.hasPrefix($0) }
      }
      if isWhole, isAlone, !report.isSound { return "verify: \(report.findings)" }
    } catch {
      if let wrong = wrong(error, "verify") { return wrong }
      if isUnexpected(error) { return "verify: \(error)" }
    }
    return wrong(ground, "verify")
  }

  private func opened(_ access: Store.Options.Access) throws -> String? {
    let (ground, step) = (try makeGround(), access == .readOnly ? "read" : "open")
    var options = options(ground)
    options.access = access
    do throws(StoreError) {
      let opened = try Store.open(at: root, options: options)
      let values = opened.document.fuzzedValues
      try opened.close()
      if let wrong = wrong(values, step) { return wrong }
      if isSealed || !isForged, !isPrefix(values) { return "\(step): no prefix: \(values)" }
    } catch {
      if let wrong = wrong(error, step) { return wrong }
    }
    return wrong(ground, step) ?? lost(ground, step)
  }

  private func salvaged() throws -> String? {
    let ground = try makeGround()
    // What grows once it was salvaged is salvaged once more; each file does so once.
    for round in 0..<(isGrowing ? 8 : 1) {
      do throws(StoreError) {
        _ = try Store.salvage(at: root, options: options(ground))
      } catch {
        if let wrong = wrong(error, "salvage") { return wrong }
        if isUnexpected(error), !isForbidden { return "salvage: \(error)" }
        return wrong(ground, "salvage") ?? lost(ground, "salvage")
      }
      if let wrong = wrong(ground, "salvage") ?? lost(ground, "salvage") { return wrong }
      let failure = try reopened(ground)
      if failure == nil || !isGrowing || round == 7 { return failure }
    }
    return nil
  }

  /// Opens what was salvaged.
  private func reopened(_ ground: FuzzedGround) throws -> String? {
    do throws(StoreError) {
      let opened = try Store.open(at: root, options: options(ground))
      let values = opened.document.fuzzedValues
      try opened.close()
      if let wrong = wrong(values, "salvaged") { return wrong }
      let isOthersPossible = isOutnumbered || isForged && !isSealed
      for commit in store.commits.indices where isWhole(commit) && !isOthersPossible {
        if values["r\(commit)"] != Int64(commit) { return "salvage: commit \(commit) is lost" }
      }
      let report = try Store.verify(
        at: root, fileSystem: ground.fileSystem, sealing: store.sealing)
      if !report.isSound { return "salvaged: \(report.findings)" }
    } catch {
      if let wrong = wrong(error, "salvaged") { return wrong }
      // A forger may say that it is of another document.
      if isSealed || !isForged { return "salvaged: \(error)" }
    }
    return wrong(ground, "salvaged") ?? lost(ground, "salvaged")
  }

  /// Whether a commit is in a file that is as it was.
  private func isWhole(_ commit: Int) -> Bool {
    store.snapshots.contains { $0.value > commit && isThere($0.key) }
      || !store.commits[commit].isEmpty && store.commits[commit].allSatisfy(isThere)
  }

  private func isThere(_ path: String) -> Bool {
    store.contents[path] != nil && isUntouched(path)
  }

  private func isPrefix(_ values: [String: Int64]) -> Bool {
    let count = values.count - (values["shared"] == nil ? 0 : 1)
    return (0..<count).allSatisfy { values["r\($0)"] == Int64($0) }
      && values["shared"] == (count > 0 ? Int64(count - 1) : nil)
  }

  /// What was read that was never written, as far as that can be told.
  private func wrong(_ values: [String: Int64], _ step: String) -> String? {
    if isForged, !isSealed { return nil }
    for (record, value) in values {
      let isTrue =
        record == "shared" ? store.commits.indices.contains(Int(value)) : record == "r\(value)"
      if !isTrue, !(isOutnumbered && step == "salvaged" && value == -1) {
        return "\(step): \(record) is \(value), which nobody has written"
      }
    }
    return nil
  }

  /// What is gone from the disk of files that were as they should be.
  private func lost(_ ground: FuzzedGround, _ step: String) -> String? {
    let files = ground.files()
    for path in untouchedFiles where path != "MANIFEST" {
      guard let bytes = store.contents[path]?.bytes else { continue }
      if files["\(root)/\(path)"]?.starts(with: bytes) == true { continue }
      if !files.values.contains(where: { $0.starts(with: bytes) }) {
        return "\(step): \(path) is gone"
      }
    }
    return nil
  }
}
