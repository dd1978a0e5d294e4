import CRDTKit
import CRDTStoreTesting

extension Benchmark {
  /// How many edits of one field each: a tenth of n, since their deltas are kept.
  private var editCount: Int { n / 10 }

  func addDocumentEditBenchmarks() throws {
    try measure(
      Title("document.decode", n: n, against: "copying the bytes"), units: n
    ) { decode() }
    for isOverwriting in [false, true] {
      let kind = isOverwriting ? ".overwriting" : ""
      try measure(
        Title(
          "document.delta1.encode\(kind)", n: editCount, against: "copying the bytes",
          bar: .value(1_000)), units: editCount
      ) { encode(isOverwriting: isOverwriting) }
      try measure(
        Title(
          "document.delta1.apply\(kind)", n: editCount, against: "nested dictionaries",
          bar: isOverwriting ? nil : .value(1_500)), units: editCount
      ) { apply(isOverwriting: isOverwriting) }
    }
    try measure(
      Title("document.delta1.encode.alone", n: editCount, against: "copying the bytes"),
      units: editCount
    ) { encodeAlone() }
    try measure(
      Title("document.delta1.decode.alone", n: editCount, against: "copying the bytes"),
      units: editCount
    ) { decodeAlone() }
    for holdsCopy in [false, true] {
      try measure(
        Title(
          "document.edit\(holdsCopy ? ".copied" : "")", n: n, against: "nested dictionaries",
          scope: .all, pace: .steps), units: 1
      ) { edit(holdsCopy: holdsCopy) }
    }
  }

  private func decode() -> (ours: Workload, baseline: Workload) {
    let records = (0..<n / Record.fieldNames.count).map(Record.init)
    let bytes = Document(records, by: .author).encoded()
    let ours = Workload(
      prepare: { Document() },
      run: { $0 = try Document(decoding: bytes) }
    )
    return (ours, Baseline.copy(of: bytes))
  }

  private func encode(isOverwriting: Bool) -> (ours: Workload, baseline: Workload) {
    let edits = SmallEdits(editCount, fieldCount: n, isOverwriting: isOverwriting)
    let ours = Workload(
      prepare: { [UInt8]() },
      run: { $0 = SmallEdits.encode(edits.deltas).bytes }
    )
    return (ours, Baseline.copy(of: edits.bytes))
  }

  /// Each delta by itself, with a head and without the names of the one before.
  private func encodeAlone() -> (ours: Workload, baseline: Workload) {
    let edits = SmallEdits(editCount, fieldCount: n, isOverwriting: true)
    let ours = Workload(
      prepare: { edits.deltas },
      run: { deltas in for delta in deltas { blackHole(delta.encoded()) } }
    )
    return (ours, Baseline.copy(of: edits.bytes))
  }

  private func decodeAlone() -> (ours: Workload, baseline: Workload) {
    let edits = SmallEdits(editCount, fieldCount: n, isOverwriting: true)
    let sent = edits.deltas.map { $0.encoded() }
    let ours = Workload(
      prepare: { sent },
      run: { sent in for bytes in sent { blackHole(try TableDelta<Document>(decoding: bytes)) } }
    )
    return (ours, Baseline.copy(of: edits.bytes))
  }

  /// The baseline writes the same fields; it has no records before.
  private func apply(isOverwriting: Bool) -> (ours: Workload, baseline: Workload) {
    let edits = SmallEdits(editCount, fieldCount: n, isOverwriting: isOverwriting)
    let state = edits.document.encoded()
    let ours = Workload(
      prepare: { try Document(decoding: state) },
      run: { try edits.replay(into: &$0) }
    )
    return (ours, updates(editCount))
  }

  /// One field after another of a document in use, of which a copy is made before
  /// each edit and held meanwhile; or none.
  private func edit(holdsCopy: Bool) -> (ours: Workload, baseline: Workload) {
    let records = (0..<n / Record.fieldNames.count).map(Record.init)
    let session = EditSession(Document(records, by: .author), holdsCopy: holdsCopy)
    let steps = EditSession.steps
    let ours = Workload(
      repetitions: steps,
      prepare: { session },
      run: { for _ in 0..<steps { $0.editNext(records) } }
    )
    return (ours, updates(steps))
  }

  private func updates(_ count: Int) -> Workload {
    let records = (0..<count / Record.fieldNames.count + 1).map(Record.init)
    return Workload(
      repetitions: 1,
      prepare: { [String: [String: Document.Value]]() },
      run: { dictionary in
        for number in 0..<count {
          let (record, field) = number.quotientAndRemainder(dividingBy: Record.fieldNames.count)
          dictionary[records[record].id, default: [:]][Record.fieldNames[field]] =
            records[record].values[field]
        }
      }
    )
  }
}

/// A document that is edited while a copy of it is held, as a reader would.
private final class EditSession {
  /// How many edits make a sample.
  static let steps = 20

  private var document: Document
  private var copy: Document?
  private let holdsCopy: Bool
  private var generator = SeededGenerator(seed: 11)
  private var number = 0
  /// The records whose values are written.
  private let others = (0..<256).map { Record(1_000_000 + $0) }

  init(_ document: Document, holdsCopy: Bool) {
    self.document = document
    self.holdsCopy = holdsCopy
  }

  /// The copy of the last edit is let go of within the time too.
  func editNext(_ records: [Record]) {
    if holdsCopy { copy = document }
    let record = records[Int.random(in: 0..<records.count, using: &generator)]
    let field = Int.random(in: 0..<Record.fieldNames.count, using: &generator)
    number += 1
    let value = others[number % others.count].values[field]
    SmallEdits.write(field, of: record, value, number, to: &document)
  }
}
