/// A sealing with a new key that still opens what was sealed with former ones.
///
///     options.sealing = RotatingSealing(newSealing, opening: [oldSealing])
///     let store = try await Store.open(at: path, options: options)
///     try await store.reseal()                  // from now on the new key alone opens it
///
/// Likewise with ``BlobStore/reseal()``. All devices of a relay need it before the first of them publishes with the new key.
public struct RotatingSealing: Sealing {
  private let current: any Sealing
  private let former: [any Sealing]

  /// Creates a sealing that seals with one key and opens with others as well.
  public init(_ current: any Sealing, opening former: [any Sealing]) {
    self.current = current
    self.former = former
  }

  /// How many bytes the new key's sealing adds at most.
  public var overheadBytes: Int { current.overheadBytes }

  /// Seals bytes for a context with the new key.
  public func seal(
    _ bytes: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    try current.seal(bytes, for: context)
  }

  /// Opens what was sealed for a context with any of the keys, the new one first.
  public func open(
    _ sealed: [UInt8], for context: [UInt8]
  ) throws(SealingError) -> [UInt8] {
    for sealing in [current] + former {
      do throws(SealingError) { return try sealing.open(sealed, for: context) } catch {
        guard error == .notAuthentic else { throw error }
      }
    }
    throw .notAuthentic
  }
}
