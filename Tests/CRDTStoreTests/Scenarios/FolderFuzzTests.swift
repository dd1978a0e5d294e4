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
}
