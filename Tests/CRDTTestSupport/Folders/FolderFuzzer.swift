import CRDTStore
import CRDTStoreTesting

/// Plays whole folders that accidents and strangers have been at: a true one each, damaged in one
/// to six ways, then opened, read, checked, salvaged or synced, and judged by what is known of it.
package final class FolderFuzzer: Sendable {
  /// What kind of folder is played.
  package enum Kind: String, CaseIterable, Sendable {
    case store, sealedStore, relay, sealedRelay, blobs, sealedBlobs
  }

  private struct Templates {
    var stores: [UInt64: FuzzedStore] = [:]
    var relays: [UInt64: FuzzedRelay] = [:]
    var blobs: [UInt64: FuzzedBlobs] = [:]
  }

  /// How many true folders of a kind there are; each is damaged many times.
  private let templateCount: UInt64
  private let templates = Guarded(Templates())

  package init(templateCount: UInt64 = 64) {
    self.templateCount = templateCount
  }

  /// Plays the folder of a seed, in memory or on a disk, in a folder that is made for it; gives
  /// what is wrong, and what was done to it.
  package func play(
    _ kind: Kind, seed: UInt64, onDisk place: String? = nil
  ) async throws -> String? {
    var random = SeededGenerator(seed: seed)
    let template = random.next() % templateCount
    switch kind {
    case .store, .sealedStore:
      return try playStore(try store(template, isSealed: kind == .sealedStore), random, place)
    case .relay, .sealedRelay:
      return try playRelay(try relay(template, isSealed: kind == .sealedRelay), random, place)
    case .blobs, .sealedBlobs:
      let blobs = try await blobs(template, isSealed: kind == .sealedBlobs)
      return try await playBlobs(blobs, random, place)
    }
  }

  private func mutated(
    _ contents: FolderContents, _ mutator: inout FolderMutator
  ) -> FolderContents {
    var contents = contents
    for _ in 0..<Int.random(in: 1...6, using: &mutator.random) { mutator.mutate(&contents) }
    return contents
  }

  /// Puts a damaged folder somewhere.
  private func ground(
    _ image: DiskImage, _ original: FolderContents, _ contents: FolderContents, _ root: String,
    _ place: String?
  ) throws -> FuzzedGround {
    guard let place else { return try .memory(image, original, contents, at: root) }
    return try .disk(image, contents, root, at: place)
  }

  private func playStore(
    _ store: FuzzedStore, _ random: SeededGenerator, _ place: String?
  ) throws -> String? {
    var mutator = FolderMutator(random, store.sources, plausibleName: FuzzedStore.name)
    let contents = mutated(store.contents, &mutator)
    let judge = StoreJudge(
      store: store, contents: contents, isForged: mutator.isForged, hasOthers: mutator.hasOthers,
      root: (place ?? "") + FuzzedStore.root
    ) {
      try self.ground(store.image, store.contents, contents, FuzzedStore.root, place)
    }
    return try judge.discrepancy().map { "\($0)\n  \(mutator.log.joined(separator: "\n  "))" }
  }

  private func playRelay(
    _ relay: FuzzedRelay, _ random: SeededGenerator, _ place: String?
  ) throws -> String? {
    var mutator = FolderMutator(random, relay.sources, plausibleName: FuzzedRelay.name)
    let contents = mutated(relay.contents, &mutator)
    let writer = Int.random(in: 0...relay.writerCount, using: &mutator.random)
    let judge = RelayJudge(
      relay: relay, contents: contents, isForged: mutator.isForged, hasOthers: mutator.hasOthers,
      writer: writer < relay.writerCount ? writer : nil,
      root: (place ?? "") + FuzzedRelay.root, stores: place ?? ""
    ) {
      try self.ground(relay.image, relay.contents, $0, FuzzedRelay.root, place)
    }
    return try judge.discrepancy().map { "\($0)\n  \(mutator.log.joined(separator: "\n  "))" }
  }

  private func playBlobs(
    _ blobs: FuzzedBlobs, _ random: SeededGenerator, _ place: String?
  ) async throws -> String? {
    var mutator = FolderMutator(random, blobs.sources, plausibleName: FuzzedBlobs.name)
    let contents = mutated(blobs.contents, &mutator)
    let judge = BlobJudge(
      store: blobs, contents: contents, root: (place ?? "") + FuzzedBlobs.root,
      ground: try ground(blobs.image, blobs.contents, contents, FuzzedBlobs.root, place))
    return try await judge.discrepancy().map {
      "\($0)\n  \(mutator.log.joined(separator: "\n  "))"
    }
  }

  private func store(_ template: UInt64, isSealed: Bool) throws -> FuzzedStore {
    let key = template << 1 | (isSealed ? 1 : 0)
    if let known = templates.withLock({ $0.stores[key] }) { return known }
    let made = try FuzzedStore(seed: template, isSealed: isSealed)
    templates.withLock { $0.stores[key] = made }
    return made
  }

  private func relay(_ template: UInt64, isSealed: Bool) throws -> FuzzedRelay {
    let key = template << 1 | (isSealed ? 1 : 0)
    if let known = templates.withLock({ $0.relays[key] }) { return known }
    let made = try FuzzedRelay(seed: template, isSealed: isSealed)
    templates.withLock { $0.relays[key] = made }
    return made
  }

  private func blobs(_ template: UInt64, isSealed: Bool) async throws -> FuzzedBlobs {
    let key = template << 1 | (isSealed ? 1 : 0)
    if let known = templates.withLock({ $0.blobs[key] }) { return known }
    let made = try await FuzzedBlobs(seed: template, isSealed: isSealed)
    templates.withLock { $0.blobs[key] = made }
    return made
  }
}
