import CRDTTestSupport
import Testing

/// Folders of stores, relays and blobs that accidents and strangers have been at.
@Suite("Whole folders that are damaged")
struct FolderFuzzTests {
  @Test(
    "Nothing aborts, nobody's whole files are left out or lost, and nothing forged is read",
    arguments: FolderFuzzer.Kind.allCases)
  func memory(_ kind: FolderFuzzer.Kind) async throws {
    let fuzzer = FolderFuzzer(templateCount: isOptimized ? 16 : 4)
    for seed in 0..<(isOptimized ? 600 : 60) as Range<UInt64> {
      let found = try await fuzzer.play(kind, seed: seed)
      #expect(found == nil, "\(kind), seed \(seed)")
    }
  }

  @Test("So it is on a disk", arguments: FolderFuzzer.Kind.allCases)
  func disk(_ kind: FolderFuzzer.Kind) async throws {
    let (fuzzer, folder) = (FolderFuzzer(templateCount: 2), try TemporaryFolder())
    for seed in 1_000..<(isOptimized ? 1_040 : 1_010) as Range<UInt64> {
      let found = try await fuzzer.play(kind, seed: seed, onDisk: "\(folder.path)/played")
      #expect(found == nil, "\(kind), seed \(seed)")
    }
  }

  /// A folder stands where a store of blobs writes its secret, a pipe where a relay may have a
  /// store's manifest.
  @Test(
    "Those that were wrong once are right",
    arguments: [
      (FolderFuzzer.Kind.sealedBlobs, 0xA661_5F22_1F84_A2CF),
      (.sealedBlobs, 0xF81D_3BC3_1CDE_A158), (.sealedRelay, 0xF0E9_E741_C3CB_6B2F),
      (.relay, 0xB9E5_8C9E_E098_E259),
    ] as [(FolderFuzzer.Kind, UInt64)])
  func once(_ kind: FolderFuzzer.Kind, seed: UInt64) async throws {
    #expect(try await FolderFuzzer().play(kind, seed: seed) == nil)
  }
}
