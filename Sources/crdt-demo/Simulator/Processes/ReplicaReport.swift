import CRDTKit

/// The result of a simulation for one replica.
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

/// What a replica's document is, in short.
struct ReplicaState: Equatable {
  /// The digest of the whole document.
  var digest: String
  /// What it holds, in words.
  var value: String
}

extension ReplicaReport {
  /// What the document was in the end.
  var state: ReplicaState {
    ReplicaState(digest: digest, value: contents.joined(separator: ", "))
  }
}

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

/// The counts of one replica.
struct ReplicaCounts: Equatable {
  /// Operations made here.
  var operations = 0
  /// Deleted records that were removed for good here.
  var recordsPurged = 0
  var framesSent = 0
  var bytesSent = 0
  var bytesReceived = 0
  /// Streams that this replica was given, one after another, to all neighbours.
  var connections = 0
  /// Streams that this replica closed because what came was damaged.
  var streamsDamaged = 0
  /// Streams that this replica closed because nothing came any more.
  var streamsStalled = 0
  /// Deltas that brought something new.
  var deltasLearned = 0
  /// Processor time, in microseconds.
  var microseconds = 0
}

extension ReplicaCounts {
  private static let fields: [any WritableKeyPath<ReplicaCounts, Int> & Sendable] = [
    \.operations, \.recordsPurged, \.framesSent, \.bytesSent, \.bytesReceived, \.connections,
    \.streamsDamaged, \.streamsStalled, \.deltasLearned, \.microseconds,
  ]

  /// The counts in the order of their declaration.
  var values: [Int] { Self.fields.map { self[keyPath: $0] } }

  init?(values: [Int]) {
    guard values.count == Self.fields.count else { return nil }
    for (field, value) in zip(Self.fields, values) { self[keyPath: field] = value }
  }

  static func + (left: Self, right: Self) -> Self {
    var sum = left
    for field in fields { sum[keyPath: field] += right[keyPath: field] }
    return sum
  }
}

/// What is durable in a replica's store: what it was told is there, and what it has
/// done itself.
struct ReplicaHoldings: Equatable {
  var account = ReplicaAccount()
  /// The events that the store has taken in, of all replicas.
  var version: VersionVector = [:]

  /// How many of these events another version lacks.
  func eventsMissing(in other: VersionVector) -> Int {
    version.reduce(0) { count, entry in
      let held = other[entry.replica]
      return held < entry.counter ? count + Int(clamping: entry.counter - held) : count
    }
  }
}

extension ReplicaHoldings {
  func encode(to writer: inout ByteWriter) {
    account.encode(to: &writer)
    version.encode(to: &writer)
  }

  init(from reader: inout ByteReader) throws(DecodingFailure) {
    account = try ReplicaAccount(from: &reader)
    version = try VersionVector(from: &reader)
  }
}
