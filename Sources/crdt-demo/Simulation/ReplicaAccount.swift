import CRDTKit

/// What a replica has done until a moment of its life, so that another process can
/// go on from there.
struct ReplicaAccount: Equatable {
  var counts = ReplicaCounts()
  /// What it has added to the ledger's counters.
  var added = [0, 0]
  /// How many entries it has made in the ledger.
  var entriesMade = 0
}

extension ReplicaAccount {
  func encode(to writer: inout ByteWriter) {
    counts.values.encode(to: &writer)
    added.encode(to: &writer)
    entriesMade.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let counts = ReplicaCounts(values: try [Int](from: &reader)) else {
      throw DecodingFailure(.outOfBounds("the number of counts"), at: start)
    }
    self.counts = counts
    added = try [Int](from: &reader)
    guard added.count == 2 else {
      throw DecodingFailure(.outOfBounds("the number of sums"), at: start)
    }
    entriesMade = try Int(from: &reader)
  }
}
