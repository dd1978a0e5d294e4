import CRDTKit

extension Benchmark {
  func addDocumentMergeBenchmarks() throws {
    try addDocumentMerge("new", bar: .ratio(1.0 / 10)) { .new($0) }
    try addDocumentMerge("shared90", bar: .ratio(1.0 / 30)) { .shared90($0) }
    try addDocumentMerge("equal", bar: .ratio(1.0 / 200)) { .equal($0) }
  }

  /// Shapes are of records, figures a field.
  private func addDocumentMerge(
    _ name: String, bar: Bar?, _ shape: (Int) -> Shape
  ) throws {
    try measure(
      Title("document.merge.\(name)", n: n, against: "merging dictionaries", bar: bar), units: n
    ) {
      let shape = shape(n / Record.fieldNames.count)
      let fork = try Fork(
        shape, from: Document(),
        insert: { document, number, replica in
          document.edit(at: .of(replica)) { $0.write(Record(number)) }
        }
      )
      return (fork.merge { $0.fieldCount }, nestedMerge(shape))
    }
  }

  /// The right side's records into the left side's: a record that is new is taken
  /// as it is, else its fields are, one by one.
  private func nestedMerge(_ shape: Shape) -> Workload {
    typealias Records = [String: [String: Document.Value]]
    func records(_ numbers: [Int]) -> Records {
      numbers.lazy.map(Record.init).reduce(into: [:]) { $0[$1.id] = $1.fields }
    }
    let right = records(shape.right)
    return Workload(
      prepare: { (left: records(shape.left), right: right) },
      run: { state in
        for (id, fields) in state.right {
          guard let place = state.left.index(forKey: id) else {
            state.left[id] = fields
            continue
          }
          for (name, value) in fields { state.left.values[place][name] = value }
        }
      },
      outcome: { $0.left.values.reduce(0) { $0 + $1.count } }
    )
  }
}

extension Document {
  /// How many fields the records have.
  fileprivate var fieldCount: Int {
    records(in: Record.collection).reduce(0) { sum, record in
      sum + (fields(of: record, in: Record.collection)?.count ?? 0)
    }
  }
}
