import CRDTKit

/// A message whose cost can be counted.
protocol CountedMessage: Sendable {
  /// The elements of states and deltas in it, those that the receiver has too.
  var elementCount: Int { get }
  /// What is in it beside elements, in the units that the literature counts.
  var metadataCount: Int { get }
  /// Writes the message, without its frame.
  func encode(to writer: inout ByteWriter)
}

/// How many bytes the messages of the compared algorithms take: the same rules for
/// all of them.
///
/// A message has a frame of nine bytes: four of length, one of kind, four of
/// checksum, as a frame of ``PeerSession`` costs. Numbers are varints. A replica is
/// named by the eight bytes of its identifier, each time; there are no other names,
/// no addresses and no headers of a transport. Elements are written in columns,
/// each after the one before it, as CRDTKit's own tables do.
enum ExperimentMessageFormat {
  /// Length, kind and checksum.
  static let frameByteCount = 9

  static func identifier(of node: Int) -> UInt64 {
    Fingerprint.of(UInt64(node) + 1)
  }
}

/// A message of one of the compared algorithms.
enum ExperimentMessage<Content: Lattice>: Sendable {
  /// All that a node has.
  case state(Content)
  /// A join of deltas, with the sequence number to acknowledge.
  case delta(Content, sequence: Int)
  case acknowledgement(sequence: Int)
  /// What a node has seen of each node's versions.
  case digest([Int])
  /// What the sender knows that each node has seen of each node's versions.
  case matrix([[Int]])
  /// Deltas under their versions.
  case versions([VersionedDelta<Content>])
}

extension ExperimentMessage: CountedMessage {
  /// Elements of the content.
  var elementCount: Int {
    switch self {
    case .state(let content), .delta(let content, _): content.elementCount
    case .versions(let deltas): deltas.reduce(0) { $0 + $1.content.elementCount }
    case .acknowledgement, .digest, .matrix: 0
    }
  }

  /// One for a sequence number, an acknowledgement, an entry of a digest, a node
  /// named in a matrix, and the version of a delta.
  var metadataCount: Int {
    switch self {
    case .state: 0
    case .delta, .acknowledgement: 1
    case .digest(let versions): Self.entryCount(versions)
    case .matrix(let rows): rows.reduce(0) { $0 + 1 + Self.entryCount($1) }
    case .versions(let deltas): deltas.count
    }
  }

  private static func entryCount(_ versions: [Int]) -> Int {
    versions.reduce(0) { $0 + ($1 > 0 ? 1 : 0) }
  }

  func encode(to writer: inout ByteWriter) {
    switch self {
    case .state(let content): content.encode(to: &writer)
    case .delta(let content, let sequence):
      writer.write(varint: UInt64(sequence))
      content.encode(to: &writer)
    case .acknowledgement(let sequence): writer.write(varint: UInt64(sequence))
    case .digest(let versions): Self.encode(versions, to: &writer)
    case .matrix(let rows): Self.encode(rows, to: &writer)
    case .versions(let deltas): Self.encode(deltas, to: &writer)
    }
  }

  private static func encode(_ versions: [Int], to writer: inout ByteWriter) {
    writer.write(varint: UInt64(entryCount(versions)))
    for (node, version) in versions.enumerated() where version > 0 {
      writer.write(fixed: ExperimentMessageFormat.identifier(of: node))
      writer.write(varint: UInt64(version))
    }
  }

  /// Nodes are named once; the rows follow in their order.
  private static func encode(_ rows: [[Int]], to writer: inout ByteWriter) {
    writer.write(varint: UInt64(rows.count))
    for node in rows.indices {
      writer.write(fixed: ExperimentMessageFormat.identifier(of: node))
    }
    for row in rows {
      for version in row { writer.write(varint: UInt64(version)) }
    }
  }

  /// Deltas of one node follow each other: it is named once.
  private static func encode(
    _ deltas: [VersionedDelta<Content>], to writer: inout ByteWriter
  ) {
    writer.write(varint: UInt64(deltas.count))
    var previous: VersionedDelta<Content>?
    for delta in deltas {
      if delta.node != previous?.node {
        writer.write(fixed: ExperimentMessageFormat.identifier(of: delta.node))
        previous = nil
      }
      writer.write(signedVarint: Int64(delta.version - (previous?.version ?? 0)))
      delta.content.encode(to: &writer)
      previous = delta
    }
  }
}

/// The cost of messages.
struct ExperimentCost: Equatable, Sendable {
  var messages = 0
  /// Elements of states and deltas, those that the receiver has too.
  var elements = 0
  /// What comes beside elements, in the units that the literature counts.
  var metadata = 0
  /// All bytes, frames included; 0 where they are not measured.
  var bytes = 0

  /// The literature's measure: elements and metadata.
  var units: Int { elements + metadata }

  static func += (total: inout ExperimentCost, cost: ExperimentCost) {
    total.messages += cost.messages
    total.elements += cost.elements
    total.metadata += cost.metadata
    total.bytes += cost.bytes
  }
}

extension ExperimentCost {
  /// The cost of a message; encoding it takes time, so bytes are measured only where
  /// they are wanted.
  init(of message: some CountedMessage, measuringBytes: Bool) {
    messages = 1
    elements = message.elementCount
    metadata = message.metadataCount
    guard measuringBytes else { return }
    var writer = ByteWriter()
    message.encode(to: &writer)
    bytes = writer.count + ExperimentMessageFormat.frameByteCount
  }
}
