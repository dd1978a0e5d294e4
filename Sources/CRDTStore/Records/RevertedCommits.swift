import CRDTKit

/// The latest commits of which the changes of a record were reverted, so that no undo takes
/// them back again.
struct RevertedCommits {
  private static let area = "reverted/"
  private static let countMax = 64

  private let record: Document.RecordID
  private var commits: [Document.CommitEvents] = []

  /// Reads the commits from local values.
  init(of record: Document.RecordID, in local: LocalValues) {
    self.record = record
    guard let bytes = local[Self.key(of: record)] else { return }
    var reader = ByteReader(bytes)
    while reader.remaining > 0, let replica = try? ReplicaID(from: &reader),
      let first = try? reader.readVarint(), let last = try? reader.readVarint(), first <= last
    {
      commits.append(Document.CommitEvents(of: replica, first...last))
    }
  }

  /// The name of the local value.
  static func key(of record: Document.RecordID) -> String { record.localKey(in: area) }

  /// Whether the changes of a commit were reverted.
  func contains(_ events: Document.CommitEvents) -> Bool {
    commits.contains {
      $0.replica == events.replica && $0.counters.contains(events.counters.upperBound)
    }
  }

  /// The local change that records some more, which went to a server together.
  func adding(_ added: Document.CommitEvents) -> LocalChange {
    var writer = ByteWriter()
    for commit in (commits + [added]).suffix(Self.countMax) {
      commit.replica.encode(to: &writer)
      writer.write(varint: commit.counters.lowerBound)
      writer.write(varint: commit.counters.upperBound)
    }
    return LocalChange(key: Self.key(of: record), value: writer.finish())
  }
}
