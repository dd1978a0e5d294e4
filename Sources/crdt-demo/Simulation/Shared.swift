import CRDTKit

/// A replicated value, and what each neighbour is believed to have seen of it.
///
/// What was sent is believed to have arrived. Where it was lost, the next delta
/// meets a gap, and the neighbour says what it has really seen.
class Shared<Value: DeltaMergeable & BinaryCodable>: SharedPart
where Value.Version: BinaryCodable & Equatable, Value.Delta: BinaryCodable {
  final var value: Value
  private let initialVersion: Value.Version
  /// What a delta is that holds nothing.
  private let nothing: [UInt8]
  private var seen: [Int: Value.Version] = [:]

  init(_ value: Value) {
    self.value = value
    initialVersion = value.version
    nothing = value.delta(since: value.version).encoded()
  }

  final func news(for neighbour: Int) -> [UInt8]? {
    let version = value.version
    let seen = seen(by: neighbour)
    guard version != seen else { return nil }
    let delta = value.delta(since: seen).encoded()
    guard delta != nothing else { return nil }
    note(version, of: neighbour)
    return delta
  }

  final func apply(_ bytes: [UInt8], from neighbour: Int) throws(DeltaError) -> Bool {
    let delta: Value.Delta
    do {
      delta = try Value.Delta(decoding: bytes)
    } catch {
      throw .malformed(error)
    }
    let isNew = try value.apply(delta)
    learn(from: delta, of: neighbour)
    return isNew
  }

  final func note(_ version: [UInt8], of neighbour: Int) throws(DecodingFailure) {
    note(try Value.Version(decoding: version), of: neighbour)
  }

  final var encodedVersion: [UInt8] { value.version.encoded() }

  final var encodedState: [UInt8] { value.encoded() }

  var versionVector: VersionVector? { nil }

  /// What a neighbour is believed to have seen.
  final func seen(by neighbour: Int) -> Value.Version { seen[neighbour] ?? initialVersion }

  /// Notes what a neighbour is believed to have seen.
  final func note(_ version: Value.Version, of neighbour: Int) {
    seen[neighbour] = version
  }

  /// Notes that a neighbour has seen what it sent.
  func learn(from delta: Value.Delta, of neighbour: Int) {}
}
