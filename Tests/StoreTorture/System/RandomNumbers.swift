/// Random numbers that a seed repeats: SplitMix64 (Steele, Lea, Flood, 2014).
struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  /// The numbers of a seed, and of a number within it.
  init(seed: UInt64, part: UInt64 = 0) {
    state = seed ^ part &* 0xD1B5_4A32_D192_ED03
    state = next()
  }

  /// The first of the numbers of a seed, and of a number within it: a seed of its own.
  static func seed(_ seed: UInt64, part: UInt64) -> UInt64 {
    var numbers = RandomNumbers(seed: seed, part: part)
    return numbers.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether something that happens once in so many times happens now.
  mutating func once(in count: UInt64) -> Bool {
    next() % count == 0
  }
}
