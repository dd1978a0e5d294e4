package import CRDTKit
import CRDTStoreTesting

/// What one document has seen come in, delta by delta: as a store keeps it.
package struct DocumentHistory {
  package var document: Document
  /// All deltas that were taken in, in order.
  package var deltas: [TableDelta<Document>] = []
  /// The document before each of them, and as it is now.
  package var states: [Document]
}

extension DocumentHistory {
  package init(schema: Schema) {
    document = Document(schema: schema)
    states = [document]
  }

  package mutating func edit(
    at stamp: HybridTimestamp, _ body: (inout Document.Editor) throws -> Void
  ) rethrows {
    let delta = try document.edit(at: stamp, body)
    if !delta.isEmpty { note(delta) }
  }

  package mutating func take(_ delta: TableDelta<Document>) throws(DeltaError) {
    if try document.apply(delta) { note(delta) }
  }

  private mutating func note(_ delta: TableDelta<Document>) {
    deltas.append(delta)
    states.append(document)
  }

  /// Forgets what was killed, as a document does that was read from a file.
  package mutating func forgetRemovals() {
    for place in document._table.columns.indices {
      document._table.columns[place].kills = KillLog(floor: document._table.columns[place].seen)
    }
    states[states.count - 1] = document
  }

  /// Documents that replicas come to from one another, by edits of every kind and by
  /// deltas; those that remember forget now and then what was killed.
  package static func random(
    count: Int, stepCount: Int, seed: UInt64, isForgetful: Bool = false
  ) -> [DocumentHistory] {
    var random = SeededGenerator(seed: seed)
    var sites = Array(repeating: DocumentHistory(schema: DocumentSamples.schema), count: count)
    for step in 0..<UInt64(stepCount) {
      let place = Int.random(in: 0..<count, using: &random)
      let other = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<3:
        let delta = sites[other].document.delta(since: sites[place].document.version)
        // A delta since the very version fits.
        try? sites[place].take(delta)
      case 3 where isForgetful:
        sites[place].forgetRemovals()
      default:
        let purging = Int.random(in: 0..<8, using: &random) == 0
        let stamp = HybridTimestamp(time: step << 16, replica: DocumentSamples.replicas[place])
        let operations = (0..<Int.random(in: 1...3, using: &random)).map { _ in
          DocumentOperation(purging: purging, using: &random)
        }
        let conflicts = sites[place].document.conflicts
        sites[place].edit(at: stamp) { edit in
          for operation in operations {
            _ = try? operation.perform(in: &edit, conflicts: conflicts)
          }
        }
      }
    }
    return sites
  }
}
