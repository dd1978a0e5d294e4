import CRDTKit
import CRDTStore
import CRDTStoreTesting

/// Syncs a store with a relay's folder that was damaged, and says what is wrong with what comes of
/// it.
struct RelayJudge {
  /// How many bytes a file of the relay may have.
  static let requestMax = 1 << 22

  let relay: FuzzedRelay
  let contents: FolderContents
  let isForged: Bool
  let hasOthers: Bool
  /// The writer whose store reads; `nil` for one that is new.
  let writer: Int?
  let root: String
  /// Where the stores are.
  let stores: String
  /// Makes the folder, damaged or with nothing but what is as it was.
  let makeGround: (FolderContents) throws -> FuzzedGround

  private var isSealed: Bool { relay.sealing != nil }
  private var replica: UInt64 { writer.map { UInt64($0) + 1 } ?? 0x63 }
  private var ownFolder: String {
    let digits = String(replica, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private var untouched: FolderContents {
    contents.filter { relay.contents[$0.key] == $0.value }
  }

  /// The first thing that is wrong; `nil` if nothing is.
  func discrepancy() throws -> String? {
    let clean = try makeGround(untouched)
    let reader = try open(clean, replica)
    try sync(reader)
    let expected = Set(reader.document.fuzzedValues.keys)
    try reader.close()

    let ground = try makeGround(contents)
    let store = try open(ground, replica)
    let exchange = store.relay(at: root, options: FuzzedRelay.relayOptions(relay.sealing))
    for round in 0..<2 {
      do throws(StoreError) {
        let report = try exchange.sync()
        if let finding = report.findings.first(where: { !$0.path.hasPrefix(root) }) {
          return "round \(round): a finding that names no file: \(finding)"
        }
      } catch {
        if let wrong = wrong(error, round) { return wrong }
      }
      if let wrong = wrong(store.document.fuzzedValues, expected) {
        return "round \(round): \(wrong)"
      }
      if isSealed || !isForged, store.replica != ReplicaID(replica) {
        return "round \(round): the store took a new name, \(store.replica)"
      }
    }
    try store.close()
    if let wrong = wrong(ground) ?? lost(ground) { return wrong }
    guard writer == nil, !isBarred else { return nil }
    let third = try open(ground, 0x64)
    var failure: String?
    do throws(StoreError) { try sync(third) } catch { failure = wrong(error, 2) }
    failure = failure ?? wrong(third.document.fuzzedValues, expected)
    try third.close()
    return failure.map { "another store: \($0)" }
  }

  private func sync(_ store: Store) throws(StoreError) {
    try store.sync(with: .folder(root, options: FuzzedRelay.relayOptions(relay.sealing)))
  }

  private func open(_ ground: FuzzedGround, _ replica: UInt64) throws -> Store {
    let options = FuzzedWorld(fileSystem: ground.fileSystem).options(replica: replica)
    let name = replica > 0x60 ? "new\(replica)" : "w\(replica - 1)"
    return try Store.open(at: "\(stores)/\(name)", options: options)
  }

  /// Whether the store's own folder is none, or can't be written.
  private var isBarred: Bool {
    contents[ownFolder] != nil || contents["0000000000000064"] != nil
  }

  /// Whether a file of the store's own is as it was.
  private var isMember: Bool {
    untouched.keys.contains { $0.hasPrefix(ownFolder) && $0.hasSuffix(".delta") }
  }

  /// Whether a replica may have written nothing but what is sealed.
  private var isAnySealing: Bool {
    contents.contains { path, item in
      let folder = path.prefix { $0 != "/" } + "/"
      return FrameFormat.isSealed(item.bytes)
        && !untouched.keys.contains { $0.hasPrefix(folder) && $0.hasSuffix(".delta") }
    }
  }

  private func wrong(_ error: StoreError, _ round: Int) -> String? {
    guard let path = error.fuzzedPath, path.hasPrefix(root) else {
      return "round \(round): an error that names no file: \(error)"
    }
    // Where nothing opens, nothing is written.
    let isAlone = untouched.keys.allSatisfy { !$0.hasSuffix(".delta") }
    switch error {
    case .system where path.hasPrefix("\(root)/\(ownFolder)") && isBarred: return nil
    case .sealed where isAlone && !isSealed: return nil
    // Who hasn't written here yet begins only where nobody seals.
    case .sealed where !isSealed && !isMember && isAnySealing: return nil
    case .wrongKey where isAlone && isSealed: return nil
    case .otherDocument where isAlone && (hasOthers || isForged): return nil
    case .alreadyExists where isAlone && contents["MANIFEST"] != nil: return nil
    default: return "round \(round): \(error)"
    }
  }

  private func wrong(_ found: [String: Int64], _ expected: Set<String>) -> String? {
    if let lost = expected.subtracting(found.keys).min() { return "\(lost) wasn't taken in" }
    if isForged, !isSealed { return nil }
    for (record, value) in found where relay.values[record]?.contains(value) != true {
      return "\(record) is \(value), which nobody has written"
    }
    return nil
  }

  private func wrong(_ ground: FuzzedGround) -> String? {
    let load = ground.load()
    if load.requestMax > Self.requestMax { return "made room for \(load.requestMax)" }
    if load.openCount != 0 { return "\(load.openCount) descriptors are left open" }
    return load.calls > 200_000 ? "made \(load.calls) calls" : nil
  }

  /// What is gone or changed of others' files that were as they should be.
  private func lost(_ ground: FuzzedGround) -> String? {
    let files = ground.files()
    for (path, item) in untouched where !path.hasPrefix(ownFolder) {
      if files["\(root)/\(path)"] != item.bytes { return "\(path) is gone" }
    }
    return nil
  }
}
