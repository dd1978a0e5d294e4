package import CRDTKit

/// Bytes with a header and a checksum that fit, whatever a test writes between:
/// what a hostile peer could send.
package func forged(
  _ typeCode: [UInt8], _ write: (inout ByteWriter) -> Void
) -> [UInt8] {
  var writer = ByteWriter()
  writer.write([0xC4, 0xD7, BinaryFormat.version] + typeCode)
  write(&writer)
  writer.write(fixed: 0 as UInt32)
  return sealed(writer.finish())
}

extension ByteWriter {
  /// Writes the head of a column of a state.
  package mutating func write(
    head replica: ReplicaID, seen: UInt64, fingerprint: UInt32 = 1
  ) {
    replica.encode(to: &self)
    write(varint: seen << 1)
    write(fixed: fingerprint)
    write(marksFrom: 1, before: seen)
  }

  /// Writes the head of a column of a version that a peer announces.
  package mutating func write(
    announced replica: ReplicaID, seen: UInt64, fingerprint: UInt32 = 1
  ) {
    replica.encode(to: &self)
    write(varint: seen << 1)
    write(fixed: fingerprint)
  }

  /// Writes marks that say that nothing is known.
  private mutating func write(marksFrom first: UInt64, before seen: UInt64) {
    // What is out of bounds is refused before its marks are read.
    guard seen < 1 << 48 else { return }
    FingerprintHistory.forEachKept(from: first, before: seen) { _ in
      write(fixed: 0 as UInt32)
    }
  }

  /// Writes the head of a column of a delta that has new events.
  package mutating func write(
    head replica: ReplicaID, base: UInt64, seen: UInt64, fingerprint: UInt32 = 1
  ) {
    replica.encode(to: &self)
    write(varint: base)
    write(varint: (seen - base) << 1)
    guard seen > base else { return write(varint: 0) }
    write(fixed: fingerprint)
    let first = FingerprintHistory.lastKept(upTo: base, before: seen)
    write(marksFrom: Swift.max(first, 1), before: seen)
  }

  /// Writes which counters have rows.
  package mutating func write(runs: [ClosedRange<UInt64>], after base: UInt64 = 0) {
    write(varint: UInt64(runs.count) << 1)
    var next = base + 1
    for run in runs {
      write(varint: run.lowerBound - next)
      write(varint: run.upperBound - run.lowerBound)
      next = run.upperBound + 2
    }
  }

  /// Writes the elements from 1 on, of rows that are one to a block, in their sections.
  package mutating func write(scattered count: Int) {
    for first in stride(from: 1, through: count, by: 1_024) {
      let last = min(first + 1_023, count)
      var section = ByteWriter()
      section.write(signedVarint: Int64(first))
      for _ in first..<last { section.write(signedVarint: 1) }
      if last < count { write(varint: UInt64(section.count)) }
      write(section.finish())
    }
  }
}
