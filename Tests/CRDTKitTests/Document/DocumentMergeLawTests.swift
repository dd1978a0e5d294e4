import CRDTKit
import CRDTTestSupport
import Testing

/// Commutativity, associativity and idempotence on whole documents and their
/// bytes, after deletions, restores and purges too, and that a delta does what the
/// state would.
@Suite("Merge laws of documents")
struct DocumentMergeLawTests {
  @Test("documents that come from one another") func laws() {
    for seed in 0..<(isLongRun ? 2_000 : 12) as Range<UInt64> {
      let documents = relatedDocuments(count: 4, stepCount: 40, seed: seed)
      if let violation = mergeLawViolation(among: documents) {
        Issue.record("seed \(seed): \(violation)")
        return
      }
      for document in documents {
        for other in documents { document.merging(other)._table.checkEveryInvariant() }
      }
    }
  }

  @Test("equal copies read alike in whatever order they were merged") func readings() {
    for seed in 0..<(isLongRun ? 2_000 : 12) as Range<UInt64> {
      let documents = relatedDocuments(count: 4, stepCount: 40, seed: 1_000 + seed)
      let all = documents.reduce(Document(schema: DocumentSamples.schema)) { $0.merging($1) }
      let reversed = documents.reversed().reduce(Document(schema: DocumentSamples.schema)) {
        $1.merging($0)
      }
      #expect(all == reversed, "seed \(seed)")
      #expect(DocumentReading(all) == DocumentReading(reversed), "seed \(seed)")
    }
  }
}
