/// One direction of a link between two replicas: packets go in, and come out
/// late, twice or not at all.
///
/// Its faults are drawn from a seed of its own, a fixed number of draws a
/// packet, so they depend on nothing but how many packets came before.
struct FaultyLink {
  /// What the link has done to packets.
  struct Counts: Equatable {
    var packets = 0
    var lost = 0
    var duplicated = 0
    var reordered = 0
  }

  /// How many steps a packet that others overtake may be late.
  static let delayMax = 3

  private(set) var counts = Counts()
  private var generator: SplitMix64
  private var faults: LinkFaults

  init(seed: UInt64, from source: Int, to target: Int, faults: LinkFaults) {
    generator = SplitMix64(seed: seed, stream: UInt64(source) << 32 | UInt64(target) | 1 << 63)
    self.faults = faults
  }

  /// From now on, every packet arrives once and in order.
  mutating func heal() {
    faults = .none
  }

  /// Sends a packet: how many steps late each of its copies arrives.
  mutating func send() -> [Int] {
    counts.packets += 1
    let isLost = generator.happens(faults.loss)
    let isDuplicated = generator.happens(faults.duplicate)
    let delays = [drawDelay(), drawDelay()]
    if isLost {
      counts.lost += 1
      return []
    }
    if isDuplicated { counts.duplicated += 1 }
    let arrivals = isDuplicated ? delays : [delays[0]]
    counts.reordered += arrivals.count { $0 > 0 }
    return arrivals
  }

  /// Counts a packet as lost that found no room.
  mutating func drop() {
    counts.lost += 1
  }

  private mutating func drawDelay() -> Int {
    let isLate = generator.happens(faults.reorder)
    let delay = 1 + generator.below(Self.delayMax)
    return isLate ? delay : 0
  }
}

extension FaultyLink.Counts {
  static func + (left: Self, right: Self) -> Self {
    Self(
      packets: left.packets + right.packets,
      lost: left.lost + right.lost,
      duplicated: left.duplicated + right.duplicated,
      reordered: left.reordered + right.reordered
    )
  }
}
