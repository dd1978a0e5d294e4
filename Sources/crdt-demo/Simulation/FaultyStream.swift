/// One direction of a link between two replicas: a stream of bytes goes in, and
/// comes out in chunks, of which some are lost, repeated, late or damaged.
///
/// Its faults are drawn from a seed of its own, a fixed number of draws a chunk,
/// so they depend on nothing but what went in before.
struct FaultyStream {
  /// What the stream has done.
  struct Counts: Equatable {
    var bytes = 0
    var chunks = 0
    var lost = 0
    var duplicated = 0
    var reordered = 0
    var corrupted = 0
    var cuts = 0
  }

  /// A chunk that arrives so many steps late.
  struct Arrival: Equatable {
    var delay: Int
    var bytes: [UInt8]
  }

  /// What becomes of a chunk.
  enum Passage: Equatable {
    /// It arrives once, twice or not at all.
    case arrivals([Arrival])
    /// The link breaks.
    case cut
  }

  /// How many bytes a chunk has at most.
  static let chunkMax = 1_024
  /// How many steps a chunk that others overtake may be late.
  static let delayMax = 3

  private(set) var counts = Counts()
  private var generator: SplitMix64
  private var faults: LinkFaults

  init(seed: UInt64, from source: Int, to target: Int, faults: LinkFaults) {
    generator = SplitMix64(seed: seed, stream: UInt64(source) << 32 | UInt64(target) | 1 << 63)
    self.faults = faults
  }

  /// From now on, every chunk arrives once, whole and in order.
  mutating func heal() {
    faults = .none
  }

  /// Takes a chunk off the front of what is to be sent, and lets it pass.
  mutating func pass(_ bytes: inout ArraySlice<UInt8>) -> Passage {
    var chunk = Array(bytes.prefix(1 + generator.below(Self.chunkMax)))
    bytes = bytes.dropFirst(chunk.count)
    counts.bytes += chunk.count
    counts.chunks += 1
    let isCut = generator.happens(faults.cut)
    let isLost = generator.happens(faults.loss)
    let isDuplicated = generator.happens(faults.duplicate)
    let isCorrupted = generator.happens(faults.corrupt)
    let bit = generator.below(chunk.count * 8)
    let delays = [drawDelay(), drawDelay()].prefix(isDuplicated ? 2 : 1)
    if isCut {
      counts.cuts += 1
      return .cut
    }
    if isLost {
      counts.lost += 1
      return .arrivals([])
    }
    if isCorrupted {
      counts.corrupted += 1
      chunk[bit / 8] ^= 1 << (bit % 8)
    }
    if isDuplicated { counts.duplicated += 1 }
    counts.reordered += delays.count { $0 > 0 }
    return .arrivals(delays.map { Arrival(delay: $0, bytes: chunk) })
  }

  /// Counts bytes as a lost chunk that found no room.
  mutating func drop() {
    counts.lost += 1
  }

  private mutating func drawDelay() -> Int {
    let isLate = generator.happens(faults.reorder)
    let delay = 1 + generator.below(Self.delayMax)
    return isLate ? delay : 0
  }
}

extension FaultyStream.Counts {
  static func + (left: Self, right: Self) -> Self {
    Self(
      bytes: left.bytes + right.bytes,
      chunks: left.chunks + right.chunks,
      lost: left.lost + right.lost,
      duplicated: left.duplicated + right.duplicated,
      reordered: left.reordered + right.reordered,
      corrupted: left.corrupted + right.corrupted,
      cuts: left.cuts + right.cuts
    )
  }
}
