import CRDTKit

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
