import CRDTKit

/// A row that a hostile peer repeats, and what is done with the value that has it.
struct HostileKind<Value: TableBacked> {
  let name: String
  /// A value with the row.
  let value: Value
  /// Where the row is, counted back from the last one.
  var row = 0
  /// A value without it.
  let empty: Value
  /// What is asked of the value: of what the row is about, and of what isn't there.
  let reads: [(name: String, ask: (Value) -> Void)]
  /// Replaces what the row is about.
  let replace: (inout Value) -> Void

  /// Does with made up bytes all that is done with those of others.
  func steps(size: Int, replicas: Int, adopt: (inout Value) -> Void = { _ in }) throws -> Steps {
    let crowd = Crowd(repeating: row, of: value, size: size, replicas: replicas)
    var steps = Steps()
    var decoded = try steps.time("decode") { try Value(decoding: crowd.state) }
    adopt(&decoded)
    read(decoded, &steps)
    var replaced = decoded
    steps.time("replace") { replace(&replaced) }
    steps.time("replace again") { replace(&replaced) }
    var own = empty
    replace(&own)
    for read in reads { read.ask(own) }
    var merged = own
    steps.time("merge") { merged.merge(decoded) }
    read(merged, &steps)
    steps.time("merge back") { decoded.merge(own) }
    read(decoded, &steps)
    var applied = own
    try steps.time("apply") { try applied.apply(decoding: crowd.delta) }
    read(applied, &steps)
    steps.time("digest") { merged.contentDigest }
    steps.time("encode") { merged.encoded() }
    steps.time("export") { merged.delta(since: own.version).encoded() }
    return steps
  }

  /// Asks for everything, each a step.
  func read(_ value: Value, _ steps: inout Steps) {
    for read in reads { steps.time(read.name) { read.ask(value) } }
  }
}

extension HostileKind where Value == Document {
  static let schema = Schema(collections: [
    "c": Schema.Collection(fields: ["s": .set, "n": .counter, "m": .manual])
  ])

  /// The rows of documents.
  static var all: [HostileKind] {
    [
      kind(
        "existence", make: { $0.create("r", in: "c") }, replace: { $0.delete("r", in: "c") }),
      kind(
        "deletion", isDeleted: true, make: { $0.create("r", in: "c") },
        replace: { $0.restore("r", in: "c") }),
      kind(
        "field", make: { $0.set("f", of: "r", in: "c", to: .string("x")) },
        replace: { $0.set("f", of: "r", in: "c", to: .int(2)) }),
      kind(
        "manual", make: { $0.set("m", of: "r", in: "c", to: .string("x")) },
        replace: { $0.set("m", of: "r", in: "c", to: .int(2)) }),
      kind("counter", make: count, replace: count),
      kind(
        "element", make: { $0.insert("e", into: "s", of: "r", in: "c") },
        replace: { $0.remove("e", from: "s", of: "r", in: "c") }),
      kind(
        "object", row: 1, make: { $0.set(["o", "i"], of: "r", in: "c", to: .int(1)) },
        replace: { $0.set("o", of: "r", in: "c", to: .int(2)) }),
    ]
  }

  private static func count(_ edit: inout Document.Editor) {
    _ = try? edit.increment("n", of: "r", in: "c")
  }

  private static func kind(
    _ name: String, row: Int = 0, isDeleted: Bool = false,
    make: (inout Document.Editor) -> Void,
    replace: @escaping (inout Document.Editor) -> Void
  ) -> HostileKind {
    var document = Document(schema: schema)
    document.edit(at: .of(.author), make)
    if isDeleted { document.edit(at: .of(.author, round: 1)) { $0.delete("r", in: "c") } }
    return HostileKind(
      name: name, value: document, row: row, empty: Document(schema: schema), reads: reads,
      replace: { $0.edit(at: .of(.right, round: 2), replace) })
  }

  private static var reads: [(name: String, ask: (Document) -> Void)] {
    [
      ("get another", { blackHole($0.value(of: "f", of: "another", in: "c")) }),
      ("get field", { blackHole($0.value(of: "f", of: "r", in: "c")) }),
      ("get manual", { blackHole($0.value(of: "m", of: "r", in: "c")) }),
      ("get counter", { blackHole($0.value(of: "n", of: "r", in: "c")) }),
      ("get set", { blackHole($0.value(of: "s", of: "r", in: "c")) }),
      ("get object", { blackHole($0.value(of: "o", of: "r", in: "c")) }),
      ("explain", { blackHole($0.explain("f", of: "r", in: "c")) }),
      ("alternatives", { blackHole($0.alternatives(of: "m", of: "r", in: "c")) }),
      ("fields", { blackHole($0.fields(of: "r", in: "c")) }),
      ("records", { blackHole($0.records(in: "c")) }),
      ("deleted", { blackHole($0.deletedRecords(in: "c")) }),
      ("conflicts", { blackHole($0.conflicts) }),
    ]
  }
}
