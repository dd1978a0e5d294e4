package import CRDTKit
import CRDTStoreTesting

/// Some documents that replicas come to from one another, by edits of every kind
/// and merges; their clocks hear of each other or don't.
package func relatedDocuments(count: Int, stepCount: Int, seed: UInt64) -> [Document] {
  var random = SeededGenerator(seed: seed)
  var documents = Array(repeating: Document(schema: DocumentSamples.schema), count: count)
  var conflicts: [Document.Conflict] = []
  for step in 0..<UInt64(stepCount) {
    let place = Int.random(in: 0..<count, using: &random)
    if Int.random(in: 0..<4, using: &random) == 0 {
      documents[place].merge(documents[Int.random(in: 0..<count, using: &random)])
      conflicts += documents[place].conflicts
      continue
    }
    let ahead: UInt64 = place == 0 ? 3 : 0
    let stamp = HybridTimestamp(
      time: (step / 2 + ahead) << 16 | step, replica: DocumentSamples.replicas[place])
    let purging = Int.random(in: 0..<8, using: &random) == 0
    let operation = DocumentOperation(purging: purging, using: &random)
    documents[place].edit(at: stamp) { edit in
      _ = try? operation.perform(in: &edit, conflicts: conflicts)
    }
  }
  return documents
}
