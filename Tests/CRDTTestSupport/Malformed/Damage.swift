import CRDTKit
package import CRDTStoreTesting

/// The bytes with a checksum that fits them: damage gets past it to the decoder.
package func sealed(_ bytes: [UInt8]) -> [UInt8] {
  guard bytes.count >= 4 else { return bytes }
  let body = Array(bytes.dropLast(4))
  let checksum = body.withUnsafeBytes { CRC32C.checksum($0) }
  return body + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
}

/// The bytes with a few random changes: bits, bytes, numbers, pieces left out,
/// doubled, moved or taken from other bytes.
package func damaged(
  _ bytes: [UInt8], with others: [[UInt8]], using random: inout SeededGenerator
) -> [UInt8] {
  var damaged = Array(bytes.dropLast(4))
  for _ in 0..<Int.random(in: 1...3, using: &random) {
    // What comes before place 3 is the header's: damage there is found at once.
    let start = min(3, damaged.count)
    let place = Int.random(in: start...damaged.count, using: &random)
    let end = min(place + Int.random(in: 1...9, using: &random), damaged.count)
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where place < damaged.count:
      damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < damaged.count: damaged[place] = .random(in: 0...255, using: &random)
    case 2 where place < damaged.count:
      damaged[place] = [0, 1, 2, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
    case 3: damaged.removeSubrange(place..<end)
    case 4: damaged.insert(contentsOf: damaged[place..<end], at: place)
    case 5: damaged.replaceSubrange(place..<end, with: number(using: &random))
    case 6: damaged.insert(.random(in: 0...3, using: &random), at: place)
    default:
      guard let other = others.randomElement(using: &random), other.count > place else { continue }
      damaged.replaceSubrange(place..., with: other.dropLast(4).dropFirst(place))
    }
  }
  return sealed(damaged + [0, 0, 0, 0])
}

/// Calls the body with bytes in which one byte is another, at each of some places in turn (all but
/// the header and the checksum, unless they are given), behind a checksum that fits.
///
/// A byte becomes some values, then itself with some bits flipped or a number added.
package func forEachChangedByte(
  of bytes: [UInt8], at places: [Int]? = nil, to values: [UInt8], flipping masks: [UInt8],
  adding numbers: [UInt8] = [], _ body: (_ bytes: [UInt8], _ what: String) -> Void
) {
  for place in places ?? Array(3..<bytes.count - 4) {
    let byte = bytes[place]
    let changed = values + masks.map { byte ^ $0 } + numbers.map { byte &+ $0 }
    for value in Set(changed).subtracting([byte]).sorted() {
      var bytes = bytes
      bytes[place] = value
      body(sealed(bytes), "byte \(place) = \(value)")
    }
  }
}

/// Calls the body with random damage of each of some samples, and with what repeats it.
package func forEachDamage(
  of samples: [[UInt8]], rounds: UInt64,
  _ body: (_ sample: Int, _ bytes: [UInt8], _ what: String) -> Void
) {
  for place in samples.indices {
    for round in 0..<rounds {
      let seed = UInt64(place) << 32 | round
      var random = SeededGenerator(seed: seed)
      body(place, damaged(samples[place], with: samples, using: &random), "seed \(seed)")
    }
  }
}

/// A number as it is encoded, often at some edge.
private func number(using random: inout SeededGenerator) -> [UInt8] {
  let edges: [UInt64] = [
    0, 1, 127, 128, 1 << 16, 1 << 31, 1 << 32, 1 << 47, 1 << 48 - 1, 1 << 48, 1 << 62, 1 << 63,
    .max,
  ]
  var value = edges.randomElement(using: &random) ?? 0
  if Bool.random(using: &random) { value = value &+ UInt64.random(in: 0...2, using: &random) &- 1 }
  var bytes: [UInt8] = []
  while value >= 0x80 {
    bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
    value >>= 7
  }
  return bytes + [UInt8(value)]
}
