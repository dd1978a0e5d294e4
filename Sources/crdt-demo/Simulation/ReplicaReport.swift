import CRDTKit

/// How a simulation went for one replica.
struct ReplicaReport: Equatable {
  var counts = ReplicaCounts()
  /// The digest of each part of the replicated state, in the parts' order.
  var digests: [String] = []
  /// What the state holds, in words.
  var contents: [String] = []
  /// The sums of the shared counters, and what this replica has added to them.
  var sums: [Int] = []
  var added: [Int] = []
}

extension ReplicaReport {
  func encode(to writer: inout ByteWriter) {
    counts.values.encode(to: &writer)
    digests.encode(to: &writer)
    contents.encode(to: &writer)
    sums.encode(to: &writer)
    added.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let counts = ReplicaCounts(values: try [Int](from: &reader)) else {
      throw DecodingFailure(.outOfBounds("the number of counts"), at: start)
    }
    self.counts = counts
    digests = try [String](from: &reader)
    contents = try [String](from: &reader)
    sums = try [Int](from: &reader)
    added = try [Int](from: &reader)
  }
}
