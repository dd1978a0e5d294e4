import CRDTKit

/// The identifiers under which the replicas of a ``World`` write: from all 64 bits, small
/// ones and ones next to each other, by the world's seed.
struct WorldNames: Sendable {
  private enum Kind: CaseIterable {
    /// 1, 2, 3 and so on.
    case small
    /// From all bits.
    case scattered
    /// One after another, from anywhere.
    case adjacent
    /// Small ones, and others with the highest bit set.
    case mixed
  }

  private let kind: Kind
  private let seed: UInt64
  private let base: UInt64

  init(seed: UInt64) {
    var random = SplitMix64(seed: seed, stream: 21)
    kind = Kind.allCases[random.below(Kind.allCases.count)]
    base = Self.plain(random.next())
    self.seed = random.next()
  }

  /// The identifier that a node has at first, or after it has taken so many new ones.
  func name(of place: Int, generation: Int = 0) -> ReplicaID {
    let serial = UInt64(place) + UInt64(generation) * 1_000
    switch kind {
    case .small: return ReplicaID(serial + 1)
    case .scattered: return ReplicaID(drawn(serial))
    case .adjacent: return ReplicaID(base + serial)
    case .mixed: return ReplicaID(place % 2 == 0 ? serial + 1 : Self.plain(drawn(serial) | 1 << 63))
    }
  }

  private func drawn(_ serial: UInt64) -> UInt64 {
    var random = SplitMix64(seed: seed, stream: serial)
    return max(Self.plain(random.next()), 1)
  }

  /// A number that is no authority's, and no delegate's.
  private static func plain(_ number: UInt64) -> UInt64 {
    number >> 56 >= 0xFE ? number & ~(1 << 58) : number
  }
}
