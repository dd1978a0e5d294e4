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
    /// That they come to what the victim's own events under the same counters do.
    case victims
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
    _ heads: Heads = .honest, besides known: Document? = nil
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
    for place in document._table.columns.indices
    where document._table.columns[place].replica == victim {
      let seen = document._table.columns[place].seen
      switch heads {
      case .honest: break
      case .olderFormat: document._table.columns[place].origin = seen
      case .victims:
        let column = known?._table.columns.first { $0.replica == victim }
        let mark = column?.seen == seen ? column?.fingerprint : nil
        if let mark = mark ?? column?.history.fingerprint(at: seen) {
          document._table.columns[place].fingerprint = mark
        }
      }
    }
    return document.delta(since: base)
  }

  /// Makes up events of a replica until there are as many as a version has, each a value of a
  /// record; gives the delta.
  mutating func overwrite(
    _ record: String, of victim: ReplicaID, in version: VersionVector, at milliseconds: UInt64
  ) -> TableDelta<Document> {
    let base = document.version
    while document.version[victim] < version[victim] {
      let seen = document.version[victim]
      let stamp = HybridTimestamp(milliseconds: milliseconds + seen, replica: victim)
      document.edit(at: stamp) {
        $0.set("value", of: record, in: "c", to: .int(-Int64(seen)))
      }
    }
    return document.delta(since: base)
  }

  /// Puts a file with a delta in the folder; the body may change what its head says.
  ///
  /// In a version before 4 of the format it doesn't say which events it is about.
  mutating func put(
    _ delta: TableDelta<Document>, formatVersion: UInt8 = FileHead.version,
    _ change: (inout RelayFile) -> Void = { _ in }
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
    var head = FileHead(kind: .relay, store: writer.rawValue, number: sequence)
    head.version = formatVersion
    var body = ByteWriter()
    if head.formatVersion > 1 {
      body = file.encodedHead
    } else {
      body.write(varint: file.milliseconds)
      for part in [file.version, file.base, file.known, file.retired] { part.encode(to: &body) }
      body.write(varint: file.deltaSize)
      body.write(fixed: file.deltaChecksum)
    }
    let root = try RelayFolder(relay, in: files, sealing: nil)
    defer { root.close() }
    let folder = try RelayFolder(RelayNames.folder(writer), in: root, creating: true)
    defer { folder.close() }
    try folder.replace(
      RelayNames.file(sequence), in: folder.handle,
      with: [head.file(framing: body), bytes]
    ).close()
  }
}
