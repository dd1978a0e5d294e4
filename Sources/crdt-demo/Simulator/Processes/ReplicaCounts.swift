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

/// What one replica has done.
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
