/// What one replica has done.
struct ReplicaCounts: Equatable {
  /// Operations made here.
  var operations = 0
  var deltasSent = 0
  var bytesSent = 0
  var deltasReceived = 0
  var bytesReceived = 0
  /// Deltas that held nothing new.
  var duplicates = 0
  /// Deltas that were refused because an earlier one had not come.
  var gapsMet = 0
  /// Refused deltas whose missing events came later.
  var gapsFilled = 0
  /// Processor time, in microseconds.
  var microseconds = 0
}

extension ReplicaCounts {
  private static let fields: [any WritableKeyPath<ReplicaCounts, Int> & Sendable] = [
    \.operations, \.deltasSent, \.bytesSent, \.deltasReceived, \.bytesReceived, \.duplicates,
    \.gapsMet, \.gapsFilled, \.microseconds,
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
