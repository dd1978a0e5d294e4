import CRDTKit

/// A part of the replicated state, whatever its type: what a replica needs in
/// order to exchange it.
///
/// Closures, not a protocol: they are made where the type is known, so the
/// compiler makes code for just that type, which takes a third of the time that
/// generic code does.
struct SharedPart {
  /// What has come since the neighbour was last sent something, encoded; `nil` if
  /// nothing has.
  let news: (_ neighbour: Int) -> [UInt8]?

  /// Takes in an encoded delta of a neighbour; says whether anything in it was
  /// new.
  let apply: (_ delta: [UInt8], _ neighbour: Int) throws(DeltaError) -> Bool

  /// Notes what a neighbour has seen, by its own account.
  let note: (_ version: [UInt8], _ neighbour: Int) throws(DecodingFailure) -> Void

  /// How many events of each replica have been seen here; `nil` for a part that
  /// has no events.
  let versionVector: () -> VersionVector?

  /// How much of this part has been seen here, encoded.
  let encodedVersion: () -> [UInt8]

  /// The whole state, encoded.
  let encodedState: () -> [UInt8]
}

extension SharedPart {
  /// A part that counts its events: what a neighbour sends, it has seen, and need
  /// not be told.
  init<Value: TableBacked>(table shared: Shared<Value>) {
    self.init(
      shared,
      learning: { delta, seen in seen.merge(delta.version) },
      versionVector: { shared.value.version })
  }

  /// A part that has no events.
  init<Value: DeltaMergeable & BinaryCodable>(value shared: Shared<Value>) {
    self.init(shared, learning: { _, _ in }, versionVector: { nil })
  }

  private init<Value: DeltaMergeable & BinaryCodable>(
    _ shared: Shared<Value>,
    learning learn: @escaping (Value.Delta, inout Value.Version) -> Void,
    versionVector: @escaping () -> VersionVector?
  ) {
    news = { shared.news(for: $0) }
    apply = { (delta, neighbour) throws(DeltaError) in
      try shared.apply(delta, from: neighbour, learning: learn)
    }
    note = { (version, neighbour) throws(DecodingFailure) in
      try shared.note(version, of: neighbour)
    }
    self.versionVector = versionVector
    encodedVersion = { shared.value.version.encoded() }
    encodedState = { shared.value.encoded() }
  }
}
