/// A random number generator whose numbers a seed determines: SplitMix64 (Steele, Lea, Flood,
/// "Fast Splittable Pseudorandom Number Generators", 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// Creates an independent generator for a stream of one seed.
  package init(seed: UInt64, stream: UInt64) {
    var outer = SeededGenerator(seed: seed)
    var inner = SeededGenerator(seed: outer.next() ^ stream)
    state = inner.next()
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Returns `true` with a probability.
  ///
  /// It draws one number, whatever the probability.
  package mutating func happens(_ chance: Double) -> Bool {
    Double(next() >> 11) * 0x1p-53 < chance
  }

  /// A number from minus a small bound to the bound.
  package mutating func within(_ bound: Int) -> Int {
    below(2 * bound + 1) - bound
  }

  /// A number below a small bound.
  package mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: next().multipliedFullWidth(by: UInt64(bound)).high)
  }
}
