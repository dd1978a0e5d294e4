import CRDTKit
import CRDTStore
import CRDTStoreTesting

extension FuzzSurface {
  /// Four parts are a file of a relay's folder, with which a store syncs.
  ///
  /// They are the file's head, what its frame has before and after the delta's size, and the
  /// delta.
  static func relay(_ input: FuzzInput) throws(Discrepancy) {
    var image = input.choice & 1 == 0 ? RelaySample.shared.image : RelaySample.shared.emptyRelay
    for start in stride(from: 0, to: min(input.parts.count, 64), by: 4) {
      let parts = input.parts[start..<min(start + 4, input.parts.count)]
      let bytes = FuzzInput.file(parts)
      guard let head = parts.first, head.count >= 24 else { continue }
      let (writer, number) = (digits(head[8..<16]), digits(head[16..<24]))
      image = image.replacing("/relay/\(writer)/\(number).delta", with: bytes)
    }
    let stores = FuzzStores(image)
    let path = input.choice & 2 == 0 ? "/store" : "/other"
    guard let store = stores.open(path) else { throw Discrepancy("\(path) can't be opened") }
    let relay = store.relay(at: "/relay")
    for round in 0..<2 {
      _ = try? relay.sync()
      if round == 0 { _ = try? store.edit { $0.set("value", of: "r", in: "c", to: 2) } }
    }
    _ = try? relay.peers()
    try stores.checkReopening(store, path)
    try stores.checkFiles()
  }

  /// Sixteen digits, of a number of eight bytes.
  private static func digits(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.reversed().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  static func relaySeeds() throws -> [[UInt8]] {
    let files = RelaySample.shared.image.files.filter { $0.key.hasPrefix("/relay/") }
      .sorted { $0.key < $1.key }.map { FuzzInput.parts(of: $0.value) }
    return files.flatMap { file in (0..<4).map { FuzzInput($0, file).bytes } }
      + [FuzzInput(1, Array(files.joined())).bytes]
  }
}

/// Two stores, and the folder through which they have exchanged changes.
private struct RelaySample {
  static let shared = RelaySample()

  let image: DiskImage
  let emptyRelay: DiskImage

  init() {
    let stores = FuzzStores(DiskImage())
    var replica: UInt64 = 0
    var opened: [Store] = []
    for path in ["/store", "/other", "/third"] {
      replica += 1
      let name = ReplicaID(replica)
      guard let store = stores.open(path, { $0.makeReplica = { name } }) else { continue }
      _ = try? store.edit { edit in
        edit.set("value", of: path, in: "c", to: "text")
        edit.set("a.b", of: "r", in: "c", to: .array([.int(Int64(replica)), .bytes([7])]))
      }
      opened.append(store)
    }
    for round in 0..<2 {
      for store in opened {
        _ = try? store.sync(with: .folder("/relay"))
        _ = try? store.edit { $0.set("value", of: "r", in: "c", to: .int(Int64(round))) }
      }
    }
    for store in opened { try? store.close() }
    image = stores.files.seenImage
    emptyRelay = DiskImage(
      files: image.files.filter { !$0.key.hasPrefix("/relay/") }, folders: ["/relay"])
  }
}
