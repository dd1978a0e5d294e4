import CRDTKit

/// The document that the replicas of a simulation share: its collections, with a field for
/// every rule but texts, lists and merged values, and what a replica can report of it.
enum SharedDocument {
  /// The records that everybody changes, deletes and restores.
  static let notes = "notes"
  static let tasks = "tasks"
  static let drafts = "drafts"
  /// Records that nobody deletes: what they must hold in the end is known.
  static let ledger = "ledger"

  /// The record of the ledger that holds its counters.
  static let totals = "totals"

  static let collections = [notes, tasks, drafts, ledger]

  static let schema = Schema(collections: [
    notes: Schema.Collection(
      fields: [
        "body": .manual, "tags": .set, "likes": .counter, "best": .max, "scores.*": .counter,
      ], deletion: .updateWins),
    tasks: Schema.Collection(
      fields: [
        "owner": .preferring([replica(0)]), "reviewer": .preferringOthers(than: [replica(0)]),
        "opened": .firstWriterWins, "due": .min,
      ], deletion: .lastWriterWins),
    drafts: Schema.Collection(fields: ["text": .manual], deletion: .deleteWins),
    ledger: Schema.Collection(fields: ["visits": .counter, "stock.*": .counter]),
  ])

  /// The identifier that a place among the replicas writes under.
  static func replica(_ place: Int) -> ReplicaID {
    ReplicaID(UInt64(place) + 1)
  }

  /// The name of a ledger's entry: who made it, and its number, from 1.
  static func entry(_ number: Int, of replica: ReplicaID) -> String {
    "\(replica.rawValue)-\(number)"
  }

  /// What an entry says, and nobody changes.
  static func text(of entry: String) -> Document.Value {
    .string("entry \(entry)")
  }
}
