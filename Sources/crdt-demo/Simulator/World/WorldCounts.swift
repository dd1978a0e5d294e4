import Toolkit

/// The counts of events in a ``World``.
struct WorldCounts: Tally, Equatable, Sendable {
  var sent = 0
  var bytes = 0
  var delivered = 0
  /// Messages lost because their connection ended, or because there was none.
  var dropped = 0
  var ticks = 0
  var edits = 0
  /// Edits under a clock that was far ahead only for them.
  var editsAhead = 0
  var lost = 0
  var duplicated = 0
  var reordered = 0
  var corrupted = 0
  var cuts = 0
  /// Connections that nodes were notified of.
  var connections = 0
  var partitions = 0
  var clockJumps = 0
  var crashes = 0
  var tornEdits = 0
  var restores = 0
  /// Older copies that replaced their originals.
  var inPlaceRestores = 0
  /// Replicas that were copied, and continued in two places.
  var copies = 0
  /// Values that were decoded again from bytes.
  var readBacks = 0
  /// Crashes between two requests of a session.
  var deaths = 0
  /// Pauses of replicas.
  var pauses = 0
  var joins = 0
  var leaves = 0
  /// The counts for disks, if replicas have stores.
  var disks = DiskTally()
  /// The counts for apps and their server, if there is one.
  var outboxes = OutboxTally()
}

extension WorldCounts {
  /// The classes of faults with their counts.
  var faults: [(name: String, count: Int)] {
    [
      ("lost", lost), ("duplicated", duplicated), ("reordered", reordered),
      ("corrupted", corrupted), ("cut", cuts), ("partition", partitions),
      ("clock jump", clockJumps), ("edit far ahead", editsAhead), ("crash", crashes),
      ("torn edit", tornEdits),
      ("restored backup", restores), ("backup in place", inPlaceRestores), ("copy", copies),
      ("value read back", readBacks), ("death while syncing", deaths), ("pause", pauses),
      ("join", joins),
      ("leave", leaves),
    ] + disks.faults
  }

  /// The faults that occurred, in one line.
  var faultsInWords: String {
    faults.filter { $0.count > 0 }.map { "\($0.count.grouped) \($0.name)" }
      .joined(separator: ", ")
  }

  static var fields: [WritableKeyPath<Self, Int>] {
    [
      \.sent, \.bytes, \.delivered, \.dropped, \.ticks, \.edits, \.editsAhead, \.lost, \.duplicated,
      \.reordered, \.corrupted, \.cuts, \.connections, \.partitions, \.clockJumps, \.crashes,
      \.tornEdits, \.restores, \.inPlaceRestores, \.copies, \.readBacks, \.deaths, \.pauses,
      \.joins,
      \.leaves,
    ]
  }

  static func += (left: inout Self, right: Self) {
    left.add(right)
    left.disks += right.disks
    left.outboxes += right.outboxes
  }
}

/// Counts that can be summed up.
protocol Tally {
  static var fields: [WritableKeyPath<Self, Int>] { get }
}

extension Tally {
  /// Adds the counts of another.
  mutating func add(_ other: Self) {
    for field in Self.fields { self[keyPath: field] += other[keyPath: field] }
  }

  static func += (left: inout Self, right: Self) { left.add(right) }
}
