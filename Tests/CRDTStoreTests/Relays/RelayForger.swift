import CRDTKit
import CRDTTestSupport

@testable import CRDTStore

/// Somebody who can write in a relay's folder, and writes events under a name that isn't
/// theirs.
struct RelayForger {
  /// What the heads of a file say of the events that it brings.
  enum Heads: CaseIterable {
    /// What is so.
    case honest
    /// That the events before those that were made up are of an earlier format, which nobody
    /// can compare.
    case olderFormat
  }

  /// The name that stands in the file.
  let writer = ReplicaID(0xF)
  let files: any FileSystem
  let relay: String
  /// What the forger knows of the document.
  var document: Document
  private var sequence: UInt64 = 0

  init(_ document: Document, in relay: String, _ files: any FileSystem) {
    self.document = document
    self.relay = relay
    self.files = files
  }

  /// Makes up events of a replica, each a commit with a record of its own and one value that
  /// stands in the victim's way; gives the delta.
  mutating func makeUp(
    _ count: Int, of victim: ReplicaID, nonce: UInt32?, at milliseconds: UInt64,
    _ heads: Heads = .honest
  ) -> TableDelta<Document> {
    let base = document.version
    if let nonce { document.beginStretch(of: victim, nonce: nonce) }
    for number in 0..<count {
      let stamp = HybridTimestamp(
        milliseconds: milliseconds, logical: UInt16(number), replica: victim)
      document.edit(at: stamp) {
        $0.set("value", of: "forged \(number)", in: "c", to: .int(-1))
        $0.set("value", of: "new \(number)", in: "c", to: .int(-1))
      }
    }
    if heads == .olderFormat {
      for place in document.table.columns.indices
      where document.table.columns[place].replica == victim {
        document.table.columns[place].origin = document.table.columns[place].seen
      }
    }
    return document.delta(since: base)
  }

  /// Puts a file with a delta in the folder; the body may change what its head says.
  mutating func put(
    _ delta: TableDelta<Document>, _ change: (inout RelayFile) -> Void = { _ in }
  ) throws {
    sequence += 1
    let bytes = delta.encoded()
    var file = RelayFile(
      key: RelayFile.Key(writer: writer, sequence: sequence), milliseconds: 1,
      version: document.version)
    file.digest = document.contentDigest.short
    file.base = delta.base
    file.document = DocumentIdentity(TestStores.document)
    file.deltaSize = UInt64(bytes.count)
    file.deltaChecksum = SnapshotFile.checksum(of: bytes)
    file.heads = VersionHeads(of: document)
    change(&file)
    let head = FileHead(kind: .relay, store: writer.rawValue, number: sequence)
    let root = try RelayFolder(relay, in: files, sealing: nil)
    defer { root.close() }
    let folder = try RelayFolder(RelayNames.folder(writer), in: root, creating: true)
    defer { folder.close() }
    try folder.replace(
      RelayNames.file(sequence), in: folder.handle,
      with: [head.file(framing: file.encodedHead), bytes]
    ).close()
  }
}
