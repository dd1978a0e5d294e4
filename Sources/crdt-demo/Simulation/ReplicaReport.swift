import CRDTKit

/// How a simulation went for one replica.
struct ReplicaReport: Equatable {
  var counts = ReplicaCounts()
  /// The digest of each part of the document, in the order of
  /// ``DocumentSummary/partNames``.
  var digests: [String] = []
  /// What the document holds, in words.
  var contents: [String] = []
  var conflictsOpen = 0
  /// The sums of the ledger's counters, and what this replica has added to them.
  var sums: [Int] = []
  var added: [Int] = []
  /// How many entries of each replica the ledger has, and how many this one made.
  var entries: [Int] = []
  var entriesMade = 0
  /// The events that the document has taken in.
  var version: VersionVector = [:]
  /// What it had done to the ledger by then, and then: kept where some leave.
  var marks: [LedgerMark] = []
}

extension ReplicaReport {
  func encode(to writer: inout ByteWriter) {
    counts.values.encode(to: &writer)
    digests.encode(to: &writer)
    contents.encode(to: &writer)
    conflictsOpen.encode(to: &writer)
    sums.encode(to: &writer)
    added.encode(to: &writer)
    entries.encode(to: &writer)
    entriesMade.encode(to: &writer)
    version.encode(to: &writer)
    marks.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    let start = reader.offset
    guard let counts = ReplicaCounts(values: try [Int](from: &reader)) else {
      throw DecodingFailure(.outOfBounds("the number of counts"), at: start)
    }
    self.counts = counts
    digests = try [String](from: &reader)
    contents = try [String](from: &reader)
    conflictsOpen = try Int(from: &reader)
    sums = try [Int](from: &reader)
    added = try [Int](from: &reader)
    entries = try [Int](from: &reader)
    entriesMade = try Int(from: &reader)
    version = try VersionVector(from: &reader)
    marks = try [LedgerMark](from: &reader)
  }
}
