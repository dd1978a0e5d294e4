import CRDTKit

/// What a replica had done to the ledger when it had written so much.
///
/// Of a replica that left, the others hold what they had heard until then: the mark
/// of that moment says what it must have come to.
struct LedgerMark: Equatable {
  /// How many events the replica had written.
  var counter: UInt64
  /// What it had added to the ledger's counters.
  var added: [Int]
  /// How many entries it had made.
  var entriesMade: Int

  init(counter: UInt64, added: [Int], entriesMade: Int) {
    self.counter = counter
    self.added = added
    self.entriesMade = entriesMade
  }

  init(counter: UInt64, account: ReplicaAccount) {
    self.init(counter: counter, added: account.added, entriesMade: account.entriesMade)
  }
}

extension LedgerMark: CanonicalCodable {
  func encode(to writer: inout ByteWriter) {
    counter.encode(to: &writer)
    added.encode(to: &writer)
    entriesMade.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    counter = try UInt64(from: &reader)
    let start = reader.offset
    added = try [Int](from: &reader)
    guard added.count == 2 else {
      throw DecodingFailure(.outOfBounds("the number of sums"), at: start)
    }
    entriesMade = try Int(from: &reader)
  }
}
