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
