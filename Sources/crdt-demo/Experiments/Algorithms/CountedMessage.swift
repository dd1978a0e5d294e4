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
