import CRDTKit

extension SimulationResult {
  /// Whether all replicas that reach each other hold the same document, byte for byte,
  /// read it alike, and nothing that was written is missing from it.
  var hasConverged: Bool {
    differingParts.isEmpty && hasExactSums && hasAllEntries && lost == 0
  }

  /// The digest of each replica's whole document.
  var digests: [String] { reports.map(\.digest) }

  /// The parts of the document in which replicas differ that reach each other.
  var differingParts: [String] {
    DocumentSummary.partNames.indices.filter { part in
      groups.contains { group in
        Set(group.map { part < reports[$0].digests.count ? reports[$0].digests[part] : "" }).count
          > 1
      }
    }.map { DocumentSummary.partNames[$0] }
  }

  /// Whether the ledger's counters hold every replica's additions, once.
  var hasExactSums: Bool {
    groups.allSatisfy { group in
      let sums = accounts(in: group).reduce([0, 0]) { sums, account in
        zip(sums, account.added).map { $0 + $1 }
      }
      return group.allSatisfy { reports[$0].sums == sums }
    }
  }

  /// Whether every replica holds all entries that any has made in the ledger.
  var hasAllEntries: Bool {
    groups.allSatisfy { group in
      let made = accounts(in: group).map(\.entriesMade)
      return group.allSatisfy { reports[$0].entries == made }
    }
  }

  /// What each replica has done to the ledger as far as a group must know of it: of
  /// those outside, what it has heard.
  private func accounts(in group: [Int]) -> [(added: [Int], entriesMade: Int)] {
    let version = group.first.map { reports[$0].version } ?? [:]
    return reports.enumerated().map { place, report in
      guard !group.contains(place) else { return (report.added, report.entriesMade) }
      let heard = version[SharedDocument.replica(place)]
      let mark = report.marks.last { $0.counter <= heard }
      return (mark?.added ?? [0, 0], mark?.entriesMade ?? 0)
    }
  }

  /// The numbers of replicas in ascending order: of many in a row, the first and last.
  static func names(of group: [Int]) -> String {
    var rows: [ClosedRange<Int>] = []
    for number in group.map({ $0 + 1 }) {
      if let last = rows.last, last.upperBound + 1 == number {
        rows[rows.count - 1] = last.lowerBound...number
      } else {
        rows.append(number...number)
      }
    }
    return rows.map { row in
      row.count > 4
        ? "\(row.lowerBound) to \(row.upperBound)" : row.map(String.init).joined(separator: ", ")
    }.joined(separator: ", ")
  }

  /// The digest of each group, in the order of their first replicas, with its members
  /// where there are several or some have left.
  var holdings: String {
    guard groups.count != 1 || groups.first?.count != reports.count else {
      return "all \(reports.count) replicas hold digest \(digests.first ?? "")"
    }
    return groups.map { group in
      let names = Self.names(of: group)
      let digest = reports[group[0]].digest
      return group.count == 1
        ? "replica \(names) holds digest \(digest)" : "replicas \(names) hold digest \(digest)"
    }.joined(separator: "; ")
  }
}
