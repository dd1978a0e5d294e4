import CRDTKit

/// Plays a schedule on documents and on the plain model side by side, and checks
/// after each step that they read alike, that states of the same version are the
/// same, bytes included, and that copies stay as they were.
package struct DocumentPlayer {
  struct Replica {
    let id: ReplicaID
    var document: Document
    var model = DocumentModel()
    /// How far its clock is ahead of the others.
    let ahead: UInt64
    var time: UInt64 = 0
  }

  struct Message {
    let delta: TableDelta<Document>
    let base: Set<DocumentModel.EventName>
    let model: DocumentModel
  }

  struct Sighting {
    let document: Document
    let bytes: [UInt8]
    let known: Set<DocumentModel.EventName>
  }

  var replicas: [Replica]
  var messages: [Message] = []
  var versions: [(real: VersionVector, known: Set<DocumentModel.EventName>)] = [([:], [])]
  var sightings: [VersionVector: Sighting] = [:]
  var copies: [(document: Document, bytes: [UInt8])] = []
  var conflicts: [(real: Document.Conflict, model: DocumentModel.Conflict)] = []
  let schemas: [Schema]
  var stepNumber: UInt64 = 0

  init(_ schedule: DocumentSchedule) {
    let older = DocumentSamples.olderSchema
    schemas = [DocumentSamples.schema, older]
    replicas = (0..<schedule.replicaCount).map { place in
      let schema = schedule.isMixed && place == 1 ? older : DocumentSamples.schema
      return Replica(
        id: DocumentSamples.replicas[place], document: Document(schema: schema),
        ahead: [0, 0, 40, 3][place])
    }
  }

  package static func play(_ schedule: DocumentSchedule) throws(Discrepancy) {
    var player = DocumentPlayer(schedule)
    for step in schedule.steps {
      do {
        try player.play(step)
      } catch {
        throw Discrepancy("at \(step): \(error)")
      }
    }
    do {
      try player.heal()
      for copy in player.copies {
        try check(copy.document.encoded() == copy.bytes, "a copy has changed")
      }
    } catch {
      throw Discrepancy("after all steps: \(error)")
    }
  }

  /// Lets every replica hear of all, by deltas and then whole.
  private mutating func heal() throws(Discrepancy) {
    for place in replicas.indices {
      for other in replicas.indices where other != place {
        let delta = replicas[other].document.delta(since: replicas[place].document.version)
        do throws(DeltaError) {
          try replicas[place].document.apply(decoding: delta.encoded())
        } catch {
          throw Discrepancy("a delta since the very version was refused: \(error)")
        }
        replicas[place].model.merge(replicas[other].model)
      }
      try inspect(place, isThorough: place == replicas.count - 1)
    }
    guard let last = replicas.last else { return }
    for place in replicas.indices {
      replicas[place].document.merge(last.document)
      replicas[place].model.merge(last.model)
      try inspect(place)
      try check(replicas[place].document == last.document, "replica \(place) has not converged")
    }
  }
}
