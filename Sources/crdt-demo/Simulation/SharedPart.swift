import CRDTKit

/// A part of the replicated state, whatever its type: what a replica needs in
/// order to exchange it.
protocol SharedPart: AnyObject {
  /// What has come since the neighbour was last sent something, encoded; `nil` if
  /// nothing has.
  func news(for neighbour: Int) -> [UInt8]?

  /// Takes in an encoded delta of a neighbour; says whether anything in it was
  /// new.
  func apply(_ delta: [UInt8], from neighbour: Int) throws(DeltaError) -> Bool

  /// Notes what a neighbour has seen, by its own account.
  func note(_ version: [UInt8], of neighbour: Int) throws(DecodingFailure)

  /// How many events of each replica have been seen here; `nil` for a part that
  /// has no events.
  var versionVector: VersionVector? { get }

  /// How much of this part has been seen here, encoded.
  var encodedVersion: [UInt8] { get }

  /// The whole state, encoded.
  var encodedState: [UInt8] { get }
}
