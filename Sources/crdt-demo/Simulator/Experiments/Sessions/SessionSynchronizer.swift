import CRDTKit

/// A node with one of CRDTKit's values, and a session with each neighbour: real bytes,
/// encoded and decoded.
struct SessionSynchronizer<Content: ReplicatedContent>: Synchronizer {
  typealias Message = SessionFrame

  private let replica: ReplicaID
  private var value = Content.makeValue()
  private var links: SessionLinks<Content.Value>
  private let nodes: [ReplicaID: UInt64]

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: Void) {
    replica = Self.replica(node)
    links = SessionLinks(replica: Self.replica(node), neighbours: neighbours)
    nodes = Dictionary(
      uniqueKeysWithValues: (0..<nodeCount).map { (Self.replica($0), UInt64($0)) })
  }

  private static func replica(_ node: Int) -> ReplicaID {
    ReplicaID(ExperimentMessageFormat.identifier(of: node))
  }

  mutating func start(_ box: inout MessageBox<Message>) {
    links.connect(value, &box)
  }

  mutating func update(_ update: ExperimentUpdate) {
    Content.apply(update, to: &value, by: replica)
  }

  mutating func synchronize(_ box: inout MessageBox<Message>) {
    links.flush(value, &box)
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    _ = links.receive(message, from: node, into: &value, &box)
  }

  static func cost(of message: Message, measuringBytes: Bool) -> ExperimentCost {
    message.cost
  }

  var reading: [UInt64: UInt64] { Content.reading(of: value) { nodes[$0] ?? .max } }

  var held: Int { value.table.rowCount + value.version.count + links.versionEntryCount }
}
