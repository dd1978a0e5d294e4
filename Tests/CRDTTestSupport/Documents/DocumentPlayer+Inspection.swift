import CRDTKit

extension DocumentPlayer {
  /// Checks all there is to check about a replica, and remembers its version; what
  /// is asked path by path of one record only, unless it is to be thorough.
  mutating func inspect(_ place: Int, isThorough: Bool = false) throws(Discrepancy) {
    let replica = replicas[place]
    let document = replica.document
    try document._table.checkSoundness()
    try compareRecords(document, replica.model)
    try compareOrphans(document, replica.model)
    let records = DocumentSamples.records
    for (number, record) in records.enumerated()
    where isThorough || number == Int(stepNumber) % records.count {
      try compareFields(of: record, document, replica.model)
    }
    try compareConflicts(document, replica.model)
    if isThorough {
      for schema in schemas {
        var other = document
        other.schema = schema
        try compareRecords(other, replica.model)
        for record in records { try compareFields(of: record, other, replica.model) }
      }
    }
    try compareSighting(document, replica.model)
  }

  /// Checks that states of the same version are the same.
  private mutating func compareSighting(
    _ document: Document, _ model: DocumentModel
  ) throws(Discrepancy) {
    let version = document.version
    let bytes = document.encoded()
    try check(
      document.contentDigest.description == referenceDigest(of: document._table),
      "the digest of \(version) is wrong")
    guard let sighting = sightings[version] else {
      sightings[version] = Sighting(document: document, bytes: bytes, known: model.known)
      versions.append((version, model.known))
      return
    }
    try check(sighting.known == model.known, "two sets of events have version \(version)")
    try check(sighting.document == document, "two states of \(version) are not ==")
    try check(sighting.bytes == bytes, "two states of version \(version) differ in bytes")
    try check(sighting.document.hashValue == document.hashValue, "two of \(version) hash apart")
  }

  private func compareRecords(
    _ document: Document, _ model: DocumentModel
  ) throws(Discrepancy) {
    let schema = document.schema
    var present: [String: Set<String>] = [:]
    var deleted: [String: Set<String>] = [:]
    for record in DocumentSamples.records {
      let state = model.state(of: record, under: schema)
      var stamp: HybridTimestamp?
      if case .deleted(let found) = state { stamp = found }
      if state == .present { present[record.collection, default: []].insert(record.name) }
      if stamp != nil { deleted[record.collection, default: []].insert(record.name) }
      try check(
        document.contains(record.name, in: record.collection) == (state == .present),
        "\(record) is not \(state)")
      let deletion = document.deletion(of: record.name, in: record.collection)
      try check(
        deletion == stamp, "\(record) was deleted at \(describe(deletion)), not \(describe(stamp))")
      let fields = document.fields(of: record.name, in: record.collection)
      let expected =
        state == .present ? model.fields(in: [], of: record, under: schema) : nil
      try check(fields == expected, "\(record) is \(describe(fields)), not \(describe(expected))")
    }
    try check(document.collections == present.keys.sorted(), "\(document.collections)")
    for collection in schema.collections.keys {
      let names = document.records(in: collection)
      try checkOrder(of: names)
      try check(Set(names) == present[collection] ?? [], "records \(names), not \(present)")
      let deletedNames = document.deletedRecords(in: collection)
      try checkOrder(of: deletedNames)
      try check(
        Set(deletedNames) == deleted[collection] ?? [], "deleted \(deletedNames), not \(deleted)")
    }
  }

  private func compareOrphans(
    _ document: Document, _ model: DocumentModel
  ) throws(Discrepancy) {
    let schema = document.schema
    let orphans = document.orphanedRecords
    let records = DocumentSamples.records.filter { model.isOrphan($0, under: schema) }
    let names = records.map { Document.RecordID($0.name, in: $0.collection) }.sorted()
    try check(orphans.map(\.id) == names, "orphans \(orphans), not \(names)")
    for record in records {
      let orphan = document.orphanedRecord(record.name, in: record.collection)
      guard let orphan, orphans.contains(orphan) else { throw Discrepancy("\(record) is none") }
      var restored = model
      _ = restored.perform(
        .restoreOrphan(record), at: orphan.latestTimestamp, under: schema, conflicts: [])
      let expected = restored.fields(in: [], of: record, under: schema)
      try check(
        orphan.fields == expected, "\(record) left \(orphan.fields), not \(expected)")
    }
  }

  /// Checks that names stand in the order of their bytes, each once.
  private func checkOrder(of names: [String]) throws(Discrepancy) {
    let isOrdered = zip(names, names.dropFirst()).allSatisfy { pair in
      pair.0.utf8.lexicographicallyPrecedes(pair.1.utf8)
    }
    try check(isOrdered, "out of order: \(names)")
  }

  private func compareFields(
    of record: DocumentRecord, _ document: Document, _ model: DocumentModel
  ) throws(Discrepancy) {
    let schema = document.schema
    for path in DocumentSamples.paths + DocumentSamples.counterPaths {
      let isReached = model.isReached(path, of: record, under: schema)
      let expected = isReached ? model.value(at: path, of: record, under: schema) : nil
      let value = document.value(of: FieldPath(path), of: record.name, in: record.collection)
      try check(
        value == expected, "\(record) \(path) is \(describe(value)), not \(describe(expected))")
      let alternatives = document.alternatives(
        of: FieldPath(path), of: record.name, in: record.collection)
      let sides = isReached ? model.alternatives(at: path, of: record, under: schema) : []
      try check(alternatives == sides, "\(record) \(path) has \(alternatives), not \(sides)")
      try check(alternatives.first?.value == value, "\(record) \(path) begins \(alternatives)")
    }
  }

  /// Compares the conflicts, and keeps some for later resolutions.
  private mutating func compareConflicts(
    _ document: Document, _ model: DocumentModel
  ) throws(Discrepancy) {
    let found = document.conflicts
    let expected = model.conflicts(under: document.schema)
    try check(
      found.count == expected.count,
      "conflicts \(found.map(\.path)), not \(expected.map(\.path))")
    for conflict in found {
      let record = DocumentRecord(conflict.record, in: conflict.collection)
      let other = expected.first { $0.record == record && $0.path == conflict.path.names }
      guard let other else { throw Discrepancy("\(record) \(conflict.path) has no conflict") }
      try check(
        conflict.sides == other.sides,
        "\(record) \(conflict.path) has sides \(conflict.sides), not \(other.sides)")
      try check(
        conflict.ancestor == other.ancestor,
        "\(record) \(conflict.path) comes from \(describe(conflict.ancestor))")
      if stepNumber % 2 == 0 { conflicts.append((conflict, other)) }
    }
    try checkOrder(of: found.map { "\($0.collection)/\($0.record)/\($0.path)" })
  }

  private func describe(_ value: (some Any)?) -> String {
    value.map { "\($0)" } ?? "-"
  }
}
