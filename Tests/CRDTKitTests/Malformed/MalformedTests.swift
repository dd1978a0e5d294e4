import CRDTKit
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Bytes that no replica wrote: cut short, flipped, mutated.
///
/// Nothing may trap, and whatever still decodes must be sound, canonical and good to
/// merge.
///
/// Damage that only a checksum would find is tried as well with the checksum made
/// to fit, so that it is the decoders that are tested. `CRDT_LONG_TESTS=1 swift
/// test --filter Malformed` makes more than a million random mutations.
@Suite("Malformed input")
struct MalformedTests {
  /// Examines the bytes; records what is wrong with them.
  private func examine(
    _ specimen: Specimen, _ bytes: [UInt8], _ what: @autoclosure () -> String
  ) -> Bool {
    do throws(Discrepancy) {
      return try specimen.examine(bytes)
    } catch {
      Issue.record("\(specimen.name), \(what()): \(error)\n\(bytes)")
      return false
    }
  }

  @Test("what was encoded decodes and is sound") func whole() {
    for specimen in Specimens.all {
      #expect(examine(specimen, specimen.bytes, "as it is"), "\(specimen.name)")
      #expect(sealed(specimen.bytes) == specimen.bytes, "\(specimen.name)")
    }
  }

  @Test("every truncation is refused") func truncations() {
    for specimen in Specimens.all {
      for length in 0..<specimen.bytes.count {
        let cut = Array(specimen.bytes.prefix(length))
        #expect(!examine(specimen, cut, "cut to \(length)"), "\(specimen.name) cut to \(length)")
        #expect(
          !examine(specimen, sealed(cut), "cut to \(length), sealed"),
          "\(specimen.name) cut to \(length), sealed")
      }
      #expect(!examine(specimen, sealed(specimen.bytes + [0]), "a byte more"), "\(specimen.name)")
    }
  }

  @Test("every single-bit flip is found by the checksum") func flips() {
    for specimen in Specimens.all {
      var bytes = specimen.bytes
      for bit in 0..<bytes.count * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8)
        #expect(!examine(specimen, bytes, "bit \(bit)"), "\(specimen.name), bit \(bit)")
        bytes[bit / 8] ^= 1 << (bit % 8)
      }
    }
  }

  @Test("every single-bit flip behind a checksum that fits") func sealedFlips() {
    var decoded = 0
    for specimen in Specimens.all {
      for bit in 0..<(specimen.bytes.count - 4) * 8 {
        var bytes = specimen.bytes
        bytes[bit / 8] ^= 1 << (bit % 8)
        if examine(specimen, sealed(bytes), "bit \(bit)") { decoded += 1 }
      }
    }
    #expect(decoded > 1_000, "flips must get past the checksum")
  }

  @Test("every byte set to 00 and FF behind a checksum that fits") func sealedBytes() {
    for specimen in Specimens.all {
      for place in 3..<specimen.bytes.count - 4 {
        for byte in [0x00, 0xFF] as [UInt8] {
          var bytes = specimen.bytes
          bytes[place] = byte
          _ = examine(specimen, sealed(bytes), "byte \(place) = \(byte)")
        }
      }
    }
  }

  @Test("random mutations behind a checksum that fits") func mutations() {
    let others = Specimens.all.map(\.bytes)
    let rounds: UInt64 = isLongRun ? 15_000 : isOptimized ? 250 : 25
    for (number, specimen) in Specimens.all.enumerated() {
      for round in 0..<rounds {
        let seed = UInt64(number) << 32 | round
        var random = SeededGenerator(seed: seed)
        let bytes = damaged(specimen.bytes, with: others, using: &random)
        _ = examine(specimen, bytes, "seed \(seed)")
      }
    }
    let least: UInt64 = isLongRun ? 1_000_000 : isOptimized ? 20_000 : 2_000
    #expect(UInt64(Specimens.all.count) * rounds > least)
  }
}
