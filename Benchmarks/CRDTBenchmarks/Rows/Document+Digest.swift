import CRDTKit
import CRDTStoreTesting

extension Benchmark {
  /// What it takes to find out what a document comes to: at first, and after an edit of one
  /// field, which isn't timed.
  func addDocumentDigestBenchmarks() throws {
    try measure(
      Title(
        "document.digest.first", n: n, against: "copying the bytes", bar: .value(500_000_000),
        scope: .all), units: 1
    ) {
      let bytes = Document(records, by: .author).encoded()
      let ours = Workload(
        prepare: { (document: try Document(decoding: bytes), digest: ContentDigest?.none) },
        run: { $0.digest = $0.document.contentDigest })
      return (ours, Baseline.copy(of: bytes))
    }
    try measure(
      Title(
        "document.digest.edit", n: n, against: "asking again", bar: .value(20_000),
        scope: .all, pace: .steps), units: 1
    ) {
      let records = records
      let session = DigestSession(Document(records, by: .author))
      let ours = Workload(
        prepare: {
          session.editNext(records)
          return session
        },
        run: { $0.compareDigest() })
      return (ours, Workload(prepare: { session }, run: { $0.compareDigest() }))
    }
  }

  private var records: [Record] { (0..<n / Record.fieldNames.count).map(Record.init) }
}

/// A document in use, whose digest is asked for again and again.
private final class DigestSession {
  private var document: Document
  private var digest: ContentDigest
  private var generator = SeededGenerator(seed: 12)
  private var number = 0

  init(_ document: Document) {
    self.document = document
    digest = document.contentDigest
  }

  func editNext(_ records: [Record]) {
    let record = records[Int.random(in: 0..<records.count, using: &generator)]
    let field = Int.random(in: 0..<Record.fieldNames.count, using: &generator)
    number += 1
    let value = Record(1_000_000 + number).values[field]
    SmallEdits.write(field, of: record, value, number, to: &document)
  }

  func compareDigest() {
    digest = document.contentDigest
  }
}
