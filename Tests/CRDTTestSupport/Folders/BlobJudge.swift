import CRDTStore
import CRDTStoreTesting

/// Opens a folder of blobs that was damaged, and says what is wrong with what comes of it.
struct BlobJudge {
  let store: FuzzedBlobs
  let contents: FolderContents
  let root: String
  let ground: FuzzedGround

  private var isSealed: Bool { store.sealing != nil }

  /// Whether something keeps all blobs from being read that is no damage of one file: the lock, a
  /// folder, or what the system forbids.
  private var isBarred: Bool {
    contents.contains { path, item in
      let isOwnFolder =
        path == "quarantine" || BlobStore.BlobClass.allCases.contains { $0.rawValue == path }
      let isNeeded = path == "LOCK" || path == "NAMES" || path == "NAMES.new"
      return isOwnFolder || isNeeded && item.isForbidden || (path == "LOCK" && item.kind != .file)
    }
  }

  /// The files that say how a sealed store names its files, and which of the true ones are as they
  /// were.
  private var isSecretUntouched: Bool {
    ["NAMES", "NAMES.new"].allSatisfy { contents[$0] == store.contents[$0] }
  }

  /// The first thing that is wrong; `nil` if nothing is.
  func discrepancy() async throws -> String? {
    do throws(StoreError) {
      let opened = try await BlobStore.open(
        at: root, options: FuzzedBlobs.options(ground.fileSystem, store.sealing))
      let wrong = await wrong(opened)
      await opened.close()
      if let wrong { return wrong }
    } catch {
      guard let path = error.fuzzedPath, path.hasPrefix(root) else {
        return "open: an error that names no file: \(error)"
      }
      if isUnexpected(error) { return "open: \(error)" }
    }
    let load = ground.load()
    if load.requestMax > RelayJudge.requestMax { return "made room for \(load.requestMax)" }
    return load.openCount != 0 ? "\(load.openCount) descriptors are left open" : nil
  }

  private func isUnexpected(_ error: StoreError) -> Bool {
    if isBarred { return false }
    let sealed = contents.filter { $0.key.hasSuffix(".sealed") }
    let isAnyTouched = sealed.contains { store.contents[$0.key] != $0.value }
    switch error {
    // Without its secret a store is known by its blobs alone.
    case .wrongKey, .damaged, .notSealed: return !isSealed || isSecretUntouched || !isAnyTouched
    // Two files that are sealed, or one where no blob is left, may well be the store's own.
    case .sealed:
      let isAnyPlain = contents.contains { store.blobs[$0.key] != nil && $0.value.kind == .file }
      return isSealed || isAnyPlain && (contents["NAMES"] == nil || sealed.isEmpty)
    default: return true
    }
  }

  private func wrong(_ opened: BlobStore) async -> String? {
    for (path, bytes) in store.blobs.sorted(by: { $0.key < $1.key }) {
      let isKept = isUntouched(path)
      do throws(StoreError) {
        let found = try await opened.get(BlobID(of: bytes))
        if let found, found != bytes { return "\(path): other bytes" }
        if found == nil, isKept { return "\(path) is lost" }
      } catch {
        guard let place = error.fuzzedPath, place.hasPrefix(root) else {
          return "\(path): an error that names no file: \(error)"
        }
        if isKept { return "\(path): \(error)" }
      }
      if isKept, ground.files()["\(root)/\(path)"] != bytesOnDisk(path) { return "\(path) is gone" }
    }
    return nil
  }

  private func bytesOnDisk(_ path: String) -> [UInt8]? { store.contents[path]?.bytes }

  /// Whether a blob that was there is as it was, with all that is noted of it.
  private func isUntouched(_ path: String) -> Bool {
    // The names of marks don't say whose they are.
    let folder = String(path.prefix { $0 != "/" }) + "/"
    let isMark: (String) -> Bool = {
      isSealed
        ? $0.hasPrefix(folder) && $0.hasSuffix(".mark")
        : $0.hasPrefix(path.prefix { $0 != "-" } + ".")
    }
    let own = Set(contents.keys).union(store.contents.keys)
    guard contents[path] != nil, contents[path] == store.contents[path],
      own.allSatisfy({ !isMark($0) || contents[$0] == store.contents[$0] }),
      !isSealed || isSecretUntouched
    else { return false }
    // What is needed now goes when the store is opened.
    return !isTemporary(path)
  }

  private func isTemporary(_ path: String) -> Bool {
    guard path.hasPrefix("temporary") else { return false }
    if isSealed { return true }
    let marks = path.prefix { $0 != "-" } + "."
    return contents["\(marks)pinned"] == nil && contents["\(marks)unsent"] == nil
  }
}
