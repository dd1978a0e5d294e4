/// The reason why a delta was refused.
///
/// The value is unchanged then.
@nonexhaustive
public enum DeltaError: Error, Hashable, Sendable {
  /// The delta builds on events that this copy has not seen. Apply those first.
  ///
  /// Ask any replica that has them for a delta since your own version.
  case gap(missing: VersionVector)

  /// Two places have written under one replica identifier.
  ///
  /// To repair it, merge the whole value, or apply a delta that contains all events of
  /// the replica with ``TableBacked/apply(mending:)``. One of the two places must go on
  /// under a new identifier.
  case fork(ReplicaID)

  /// The bytes are not a valid delta.
  case malformed(DecodingFailure)
}

extension DeltaError {
  /// Runs a decoding, and rethrows its failure as ``malformed(_:)``.
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
    case .gap(let missing): "the delta builds on events that were not seen here: \(missing.excerpt)"
    case .fork(let replica): "two places have written as replica \(replica)"
    case .malformed(let failure): failure.description
    }
  }
}
