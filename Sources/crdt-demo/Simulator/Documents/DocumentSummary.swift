import CRDTKit
import Toolkit

/// What a replica reports of the document that it holds.
struct DocumentSummary {
  let document: Document

  /// What is compared among replicas, one by one, to say in what they differ.
  static let partNames = ["encoding"] + SharedDocument.collections + ["conflicts"]

  /// The digest of each part: of all bytes, of what each collection reads as, and
  /// of the conflicts.
  var digests: [String] {
    let readings = SharedDocument.collections.map(reading) + [document.conflicts.map(\.line)]
    let numbers = [document.digest] + readings.map { Reading(lines: $0).digest }
    return numbers.map(\.hexadecimal)
  }

  /// The digest of all bytes.
  var digest: String { document.digest.hexadecimal }

  /// Texts of which a digest can be made.
  private struct Reading: Codable, BinaryCodable {
    var lines: [String]
  }

  /// What a collection reads as, a line for each record.
  private func reading(of collection: String) -> [String] {
    let records = document.records(in: collection).map { record in
      let fields = document.fields(of: record, in: collection) ?? [:]
      return "\(record): \(Document.Value.object(fields))"
    }
    let deleted = document.deletedRecords(in: collection).map { record in
      let stamp = document.deletion(of: record, in: collection)
      return "\(record) deleted \(stamp.map(\.description) ?? "")"
    }
    return records + deleted
  }

  /// What the document holds, in a few lines.
  var contents: [String] {
    [
      [SharedDocument.notes, SharedDocument.tasks, SharedDocument.drafts].map(census)
        .joined(separator: ", "),
      "\(entryCount.grouped) ledger entries, visits \(sums[0].grouped), "
        + "stock \(sums[1].grouped), "
        + "conflicts open \(document.conflicts.count.grouped)",
    ]
  }

  /// What the document holds, in a few words.
  var brief: String {
    let counts = [SharedDocument.notes, SharedDocument.tasks, SharedDocument.drafts].map {
      "\(document.records(in: $0).count.grouped) \($0)"
    }
    let rest = [
      "\(entryCount.grouped) entries", "visits \(sums[0].grouped)", "stock \(sums[1].grouped)",
      document.conflicts.count.counted("conflict"),
    ]
    return (counts + rest).joined(separator: ", ")
  }

  private var entryCount: Int {
    document.records(in: SharedDocument.ledger).count { $0 != SharedDocument.totals }
  }

  private func census(of collection: String) -> String {
    let deleted = document.deletedRecords(in: collection).count
    return "\(document.records(in: collection).count) \(collection) (\(deleted) deleted)"
  }

  /// The sums of the ledger's counters, which must be exact.
  var sums: [Int] {
    let fields = document.fields(of: SharedDocument.totals, in: SharedDocument.ledger) ?? [:]
    return [Self.sum(fields["visits"]), Self.sum(fields["stock"])]
  }

  /// A count, or all counts of a dictionary.
  private static func sum(_ value: Document.Value?) -> Int {
    switch value {
    case .int(let count): Int(count)
    case .object(let fields): fields.values.reduce(0) { $0 + sum($1) }
    default: 0
    }
  }

  /// How many whole entries the ledger has of each replica.
  func entryCounts(replicas: Int) -> [Int] {
    (0..<replicas).map { place in
      let replica = SharedDocument.replica(place)
      var count = 0
      while holds(SharedDocument.entry(count + 1, of: replica)) { count += 1 }
      return count
    }
  }

  private func holds(_ entry: String) -> Bool {
    document.value(of: "text", of: entry, in: SharedDocument.ledger)
      == SharedDocument.text(of: entry)
  }
}

extension Document.Conflict {
  /// All of the conflict in a line.
  fileprivate var line: String {
    let sides = sides.map(\.line).joined(separator: " | ")
    return "\(collection) \(record) \(path): \(sides); \(ancestor?.line ?? "unknown")"
  }
}

extension Document.Alternative {
  fileprivate var line: String { "\(value) at \(timestamp)" }
}
