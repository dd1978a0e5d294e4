import CRDTKit

/// Bytes that take the most memory for their size once they are read.
package enum MemoryShape: String, CaseIterable, Codable, Sendable {
  case texts, flags, records, existence, field, names, objects, arrays, nulls, counts, versions

  /// Bytes of about a size, of the shape.
  package func bytes(ofSize size: Int) -> [UInt8] {
    let prefix = String(repeating: "n", count: 63)
    switch self {
    case .texts:
      var set = ORSet<String>()
      for number in 0..<size / 5 { set.insert("\(prefix)\(number)", by: ReplicaID(1)) }
      return set.encoded()
    case .flags:
      return forged(EWFlag.typeCode) { writer in
        let count = size / 12
        writer.write(varint: UInt64(count))
        for place in 0..<count { writer.write(head: ReplicaID(UInt64(place + 1)), seen: 1) }
        for _ in 0..<count {
          writer.write(runs: [1...1])
          true.encode(to: &writer)
        }
      }
    case .records: return document(size / 8) { ["\(prefix)\($0)"] }
    case .existence:
      var document = Document()
      document.edit(at: Self.stamp) { edit in
        for number in 0..<size / 8 { _ = edit.create("\(number)", in: "c") }
      }
      return document.encoded()
    case .field:
      return document(size / 12) { ["r\($0)"] }
    case .names:
      return document(
        holding: .object(
          Dictionary(uniqueKeysWithValues: (0..<size / 6).map { ("\(prefix)\($0)", .null) })))
    case .objects:
      return document(holding: .array(Array(repeating: .object(["": .null]), count: size / 4)))
    case .arrays:
      return document(holding: .array(Array(repeating: .array([.null]), count: size / 3)))
    case .nulls: return document(holding: .array(Array(repeating: .null, count: size)))
    case .counts:
      var map = MergeMap<Int, PNCounter>()
      for key in 0..<size / 8 { map.update(key, by: ReplicaID(1)) { _ = try? $0.increment() } }
      return map.encoded()
    case .versions:
      return forged(VersionVector.typeCode) { writer in
        let count = size / 9
        writer.write(varint: UInt64(count))
        for place in 0..<count {
          ReplicaID(UInt64(place + 1)).encode(to: &writer)
          writer.write(varint: 1)
        }
      }
    }
  }

  /// Reads them as what they are.
  package func decode(_ bytes: [UInt8], maximumMemoryBytes: Int) throws {
    switch self {
    case .texts: _ = try ORSet<String>(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    case .flags: _ = try EWFlag(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    case .counts:
      _ = try MergeMap<Int, PNCounter>(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    case .versions: _ = try VersionVector(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    default: _ = try Document(decoding: bytes, maximumMemoryBytes: maximumMemoryBytes)
    }
  }

  private static var stamp: HybridTimestamp {
    HybridTimestamp(milliseconds: 1, replica: ReplicaID(1))
  }

  /// A document of records with one field each.
  private func document(_ count: Int, _ names: (Int) -> [String]) -> [UInt8] {
    var document = Document()
    document.edit(at: Self.stamp) { edit in
      for number in 0..<count {
        for name in names(number) { edit.set(["f"], of: name, in: "c", to: .null) }
      }
    }
    return document.encoded()
  }

  /// A document of one field.
  private func document(holding value: Document.Value) -> [UInt8] {
    var document = Document()
    document.edit(at: Self.stamp) { $0.set(["f"], of: "r", in: "c", to: value) }
    return document.encoded()
  }
}
