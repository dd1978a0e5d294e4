import CRDTKit

extension Specimens {
  /// A document with rows of every kind; deltas that add, that remove, and from a
  /// log that was cut.
  static var documents: [Specimen] {
    let ids = [ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0), ReplicaID(2)]
    let record = DocumentRecord("r", in: "c")
    var one = Document(schema: DocumentSamples.schema)
    one.perform(
      [
        .set(record, ["body"], "Moon"), .set(record, ["a", "x"], 1), .insert(record, ["tags"], "p"),
        .increment(record, ["likes"], 5),
      ], at: HybridTimestamp(milliseconds: 1_700_000_000_000, replica: ids[0]))
    var left = one
    left.perform(
      [
        .set(record, ["body"], nil), .remove(record, ["likes"]), .set(record, ["a"], ["y": [1.5]]),
        .delete(record),
      ], at: HybridTimestamp(milliseconds: 1_700_000_000_001, replica: ids[1]))
    var right = one
    right.perform(
      [
        .set(record, ["body"], .bytes([7])), .insert(record, ["tags"], [["k": true]]),
        .increment(record, ["likes"], -300), .create(DocumentRecord("s", in: "e")),
      ], at: HybridTimestamp(milliseconds: 1_700_000_000_001, logical: 3, replica: ids[2]))
    let concurrent = left.merging(right)
    var many = concurrent
    many.perform(
      [
        .resolve(0, .timestamp(1)), .remove(record, ["tags"]), .set(record, ["title"], "é"),
        .delete(DocumentRecord("s", in: "e")), .purge(0),
      ], at: HybridTimestamp(milliseconds: 1_700_000_000_002, replica: ids[0]))
    var forgetful = many
    for column in forgetful._table.columns.indices {
      let seen = forgetful._table.columns[column].seen
      forgetful._table.columns[column].kills = KillLog(floor: seen)
    }
    let peers = [Document(schema: DocumentSamples.schema), one, concurrent, many]
    return [
      .document("document.one", one, peers: peers),
      .document("document.concurrent", concurrent, peers: peers),
      .document("document.delta.kills", of: many.delta(since: one.version), peers: peers),
      .document("document.delta.survivors", of: forgetful.delta(since: one.version), peers: peers),
    ]
  }
}

extension Document {
  /// Makes changes, those of them that can be made.
  fileprivate mutating func perform(_ operations: [DocumentOperation], at stamp: HybridTimestamp) {
    let conflicts = conflicts
    edit(at: stamp) { edit in
      for operation in operations { _ = try? operation.perform(in: &edit, conflicts: conflicts) }
    }
  }
}
