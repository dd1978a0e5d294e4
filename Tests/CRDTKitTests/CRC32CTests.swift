import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

@Suite("CRC-32C")
struct CRC32CTests {
  func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.checksum($0) }
  }

  @Test("gives the published values")
  func published() {
    #expect(checksum(Array("123456789".utf8)) == 0xE306_9283)
    #expect(checksum([]) == 0)
    // RFC 3720, appendix B.4.
    #expect(checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(checksum(Array(0..<32)) == 0x46DD_794E)
    #expect(checksum(Array((0..<32).reversed())) == 0x113F_DB5C)
  }

  @Test("agrees with the definition, bit by bit, at every length")
  func definition() {
    let seed: UInt64 = 9
    var random = SeededGenerator(seed: seed)
    for length in 0..<100 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      var remainder = ~UInt32(0)
      for byte in bytes {
        remainder ^= UInt32(byte)
        for _ in 0..<8 {
          remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0x82F6_3B78 : remainder >> 1
        }
      }
      #expect(checksum(bytes) == ~remainder, "seed \(seed), length \(length)")
    }
  }
}
