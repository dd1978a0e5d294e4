import CRDTKit

/// A replicated value, and what each neighbour is believed to have seen of it.
///
/// What was sent is believed to have arrived. Where it was lost, the next delta
/// meets a gap, and the neighbour says what it has really seen.
final class Shared<Value: DeltaMergeable & BinaryCodable>
where Value.Version: BinaryCodable & Equatable, Value.Delta: BinaryCodable {
  var value: Value
  private let initialVersion: Value.Version
  /// What a delta is that holds nothing.
  private let nothing: [UInt8]
  private var seen: [Int: Value.Version] = [:]

  init(_ value: Value) {
    self.value = value
    initialVersion = value.version
    nothing = value.delta(since: value.version).encoded()
  }

  /// What has come since the neighbour was last sent something, encoded; `nil` if
  /// nothing has.
  func news(for neighbour: Int) -> [UInt8]? {
    let version = value.version
    let seen = self.seen[neighbour] ?? initialVersion
    guard version != seen else { return nil }
    let delta = value.delta(since: seen).encoded()
    guard delta != nothing else { return nil }
    self.seen[neighbour] = version
    return delta
  }

  /// Takes in an encoded delta of a neighbour, and learns from it what the
  /// neighbour has seen; says whether anything in it was new.
  func apply(
    _ bytes: [UInt8], from neighbour: Int,
    learning learn: (Value.Delta, inout Value.Version) -> Void
  ) throws(DeltaError) -> Bool {
    let delta: Value.Delta
    do {
      delta = try Value.Delta(decoding: bytes)
    } catch {
      throw .malformed(error)
    }
    let isNew = try value.apply(delta)
    learn(delta, &seen[neighbour, default: initialVersion])
    return isNew
  }

  /// Notes what a neighbour has seen, by its own account.
  func note(_ version: [UInt8], of neighbour: Int) throws(DecodingFailure) {
    seen[neighbour] = try Value.Version(decoding: version)
  }
}
