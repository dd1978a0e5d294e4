import CRDTStoreTesting
import CRDTTestSupport

/// Something that happened to the bytes of a file.
struct FileDamage {
  let name: String
  /// `nil` where the file is gone.
  let bytes: [UInt8]?
  /// Whether the bytes are whole in themselves, but of former times.
  var isOwn = false

  /// What may happen to a file: a part of it, or all there is.
  static func every(of bytes: [UInt8], isWhole: Bool, seed: UInt64) -> [FileDamage] {
    var all = [FileDamage(name: "deleted", bytes: nil)]
    for count in bytes.indices {
      all.append(FileDamage(name: "cut to \(count)", bytes: Array(bytes[..<count])))
    }
    for place in bytes.indices {
      for bit in isWhole ? Array(0..<8) : [(place &* 5 &+ 3) % 8] {
        all.append(.changed(bytes, place, to: bytes[place] ^ 1 << UInt8(bit)))
      }
      guard isWhole || place % 4 == 0 else { continue }
      for value in [0, 255] as [UInt8] where bytes[place] != value {
        all.append(.changed(bytes, place, to: value))
      }
    }
    return all + blocks(of: bytes, isWhole: isWhole) + tails(of: bytes, seed: seed)
  }

  private static func changed(_ bytes: [UInt8], _ place: Int, to value: UInt8) -> FileDamage {
    var changed = bytes
    changed[place] = value
    return FileDamage(name: "byte \(place) made \(value)", bytes: changed)
  }

  /// Blocks that are swapped, doubled, or left out.
  private static func blocks(of bytes: [UInt8], isWhole: Bool) -> [FileDamage] {
    var all: [FileDamage] = []
    for size in [16, 64, 512] {
      for start in stride(from: 0, through: bytes.count - 2 * size, by: isWhole ? 1 : size) {
        let (first, second) = (bytes[start..<start + size], bytes[start + size..<start + 2 * size])
        let (head, tail) = (bytes[..<start], bytes[(start + 2 * size)...])
        let changes = [
          "swapped": [second, first], "twice": [first, first, second],
          "over the next": [first, first], "left out": [second],
        ]
        for (change, parts) in changes.sorted(by: { $0.key < $1.key }) {
          all.append(
            FileDamage(
              name: "\(change): \(size) bytes at \(start)",
              bytes: Array(([head] + parts + [tail]).joined())))
        }
      }
    }
    return all
  }

  /// Bytes at the end that are zeros, or any.
  private static func tails(of bytes: [UInt8], seed: UInt64) -> [FileDamage] {
    var all: [FileDamage] = []
    var random = SeededGenerator(seed: seed)
    for count in [1, 2, 4, 15, 16, 17, 24, 64, 511, 512, 4_096] {
      let zeros = [UInt8](repeating: 0, count: count)
      let garbage = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      all.append(FileDamage(name: "\(count) zeros more", bytes: bytes + zeros))
      all.append(FileDamage(name: "\(count) bytes more, seed \(seed)", bytes: bytes + garbage))
      guard count < bytes.count else { continue }
      let rest = Array(bytes.dropLast(count))
      all.append(FileDamage(name: "\(count) zeros at the end", bytes: rest + zeros))
      all.append(FileDamage(name: "\(count) bytes at the end, seed \(seed)", bytes: rest + garbage))
    }
    return all
  }
}
