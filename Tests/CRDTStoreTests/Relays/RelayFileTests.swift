import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTStore

@Suite("The files of a relay")
struct RelayFileTests {
  private func version(using random: inout SeededGenerator) -> VersionVector {
    var version: VersionVector = [:]
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      version[ReplicaID(UInt64.random(in: 0..<9, using: &random))] = UInt64.random(
        in: 1..<1_000_000, using: &random)
    }
    return version
  }

  private func file(using random: inout SeededGenerator) -> RelayFile {
    RelayFile(
      key: RelayFile.Key(
        writer: ReplicaID(random.next()), sequence: UInt64.random(in: 1..<1 << 48, using: &random)),
      milliseconds: random.next(), version: version(using: &random),
      digest: ShortDigest(random.next(), random.next()), base: version(using: &random),
      known: version(using: &random), retired: version(using: &random),
      deltaSize: UInt64.random(in: 0..<1_000, using: &random),
      deltaChecksum: UInt32(truncatingIfNeeded: random.next()),
      heads: VersionHeads(of: ORSet<Int>()), wanted: version(using: &random))
  }

  @Test("A head is read as it was written")
  func roundTrip() throws {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<1_000 {
      let file = file(using: &random)
      let bytes = file.fileHead
      let (read, start) = try RelayFile.decode(bytes + [1, 2, 3])
      #expect(read == file && start == bytes.count)
    }
  }

  @Test("A head whose checksums are right may hold anything, and is read or refused")
  func forged() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20_000 {
      let file = file(using: &random)
      var bytes = file.fileHead
      let body = FileHead.size + Frame.headSize
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: body..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0..<bytes.count - body, using: &random))
      }
      let head = FileHead(
        kind: .relay, store: file.key.writer.rawValue, number: file.key.sequence)
      bytes.withUnsafeMutableBytes {
        Frame.seal(
          UnsafeMutableRawBufferPointer(rebasing: $0[FileHead.size...]), at: FileHead.size, in: head
        )
      }
      if let (read, _) = try? RelayFile.decode(bytes) { #expect(read.fileHead == bytes) }
    }
  }

  @Test("Of any number of files, those that others supersede can all go, and the rest has it all")
  func superseding() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var catalogue = RelayCatalogue()
      for number in 1...8 as ClosedRange<UInt64> {
        var file = file(using: &random)
        file.key = RelayFile.Key(writer: ReplicaID(number % 3), sequence: number)
        file.deltaSize = 1
        // Few versions, so that many contain others and some are equal.
        file.base = [:]
        file.version = [:]
        for replica in 0..<2 as Range<UInt64> {
          let begin = UInt64.random(in: 0..<3, using: &random)
          file.base[ReplicaID(replica)] = begin
          file.version[ReplicaID(replica)] = begin + UInt64.random(in: 0..<3, using: &random)
        }
        catalogue.entries[file.key] = RelayCatalogue.Entry(
          file: file, head: FileHead(kind: .relay, store: 0, number: 1), name: "", deltaStart: 0,
          memory: 0)
      }
      let covered = catalogue.covered().version
      let needless = catalogue.entries.values.filter {
        !catalogue.superseding($0.file).isEmpty
      }
      for entry in needless { catalogue.entries[entry.file.key] = nil }
      #expect(catalogue.covered().version == covered, "seed \(seed)")
    }
  }

  @Test("Names are those of numbers and replicas, and no others")
  func names() {
    #expect(RelayNames.replica("00000000000000aa") == ReplicaID(0xAA))
    #expect(RelayNames.file(0xAB) == "00000000000000ab.delta")
    #expect(RelayNames.sequence("00000000000000ab.delta") == 0xAB)
    for name in ["aa", "00000000000000AA", "+0000000000000aa", "00000000000000aa ", "..", ""] {
      #expect(RelayNames.replica(name) == nil)
      #expect(RelayNames.sequence(name + ".delta") == nil)
    }
    #expect(RelayNames.isPassing(".syncthing.x") && RelayNames.isPassing("a.delta.new"))
    #expect(!RelayNames.isPassing("a.delta"))
  }
}

extension RelayFile {
  /// What stands before the delta's bytes.
  fileprivate var fileHead: [UInt8] {
    FileHead(kind: .relay, store: key.writer.rawValue, number: key.sequence)
      .file(framing: encodedHead)
  }

  fileprivate static func decode(
    _ bytes: [UInt8]
  ) throws(DecodingFailure) -> (RelayFile, deltaStart: Int) {
    let (head, body) = try headFrame(of: bytes)
    var fields = ByteReader(bytes, in: body)
    return (try RelayFile(from: &fields, in: head), body.upperBound)
  }
}
