import CRDTKit
import Testing

@Suite("SHA-256")
struct SHA256Tests {
  @Test("gives the published digests")
  func publishedDigests() {
    let vectors: [(text: String, digest: String)] = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    for (text, digest) in vectors {
      #expect(SHA256.hexadecimalDigest(of: Array(text.utf8)) == digest)
    }
  }

  @Test("pads messages of every length around a block, each to a digest of its own")
  func lengthsAroundABlock() {
    let digests = (0...200).map {
      SHA256.hexadecimalDigest(of: Array(repeating: 0, count: $0))
    }
    #expect(Set(digests).count == digests.count)
    #expect(
      digests[64] == "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b")
  }
}
