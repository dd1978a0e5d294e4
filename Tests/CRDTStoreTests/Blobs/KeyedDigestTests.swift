import CRDTKit
import Testing

@testable import CRDTStore

@Suite("Keyed digests")
struct KeyedDigestTests {
  @Test("They are those of RFC 4231")
  func vectors() {
    let cases: [(key: [UInt8], text: [UInt8], digest: String)] = [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
    ]
    for (key, text, digest) in cases {
      #expect(KeyedDigest.digest(of: text, key: key).hexadecimal == digest)
    }
  }
}
