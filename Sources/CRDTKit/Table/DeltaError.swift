/// Why a delta was not taken in.
///
/// Nothing has changed then.
public enum DeltaError: Error, Hashable, Sendable {
  /// The delta builds on events that have not been seen here: they must be
  /// taken in first.
  ///
  /// Ask any replica that has them for a delta since your own version.
  case gap(missing: VersionVector)

  /// Two places have written under one replica identifier.
  ///
  /// Merge the whole value, or take in a delta that brings all events of the replica by
  /// ``TableBacked/apply(mending:)``: that mends it. One of the two must go on under a new
  /// identifier.
  case fork(ReplicaID)

  /// The bytes don't hold a delta.
  case malformed(DecodingFailure)
}

extension DeltaError {
  /// Runs a decoding, and gives its failure as ``malformed(_:)``.
  @inlinable
  static func wrap<Value>(
    _ decode: () throws(DecodingFailure) -> Value
  ) throws(DeltaError) -> Value {
    do { return try decode() } catch { throw .malformed(error) }
  }
}

extension DeltaError: CustomStringConvertible {
  /// A sentence that says why the delta was refused.
  public var description: String {
    switch self {
    case .gap(let missing): "the delta builds on events that were not seen here: \(missing)"
    case .fork(let replica): "two places have written as replica \(replica)"
    case .malformed(let failure): failure.description
    }
  }
}
