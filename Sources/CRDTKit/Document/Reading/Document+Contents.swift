extension Document {
  /// The rows of a record or object, grouped by place, and read together.
  struct Contents {
    /// The rows directly in one place.
    private struct Layer {
      var fields = SmallMap<String, FieldRows>()
      /// The elements in the order of their dots, each once.
      var elements = SmallMap<Value, Void>()
    }

    private var layers = SmallMap<Place, Layer>()
    /// Whether a row states that the record exists.
    private(set) var hasExistence = false
    /// Whether a row states that the record was deleted.
    private(set) var hasDeletion = false

    /// Collects the rows of dots.
    init(_ dots: ContiguousArray<Dot>, of table: DotTable<RowKey, RowPayload>) {
      for dot in dots {
        guard let row = table.row(at: dot) else { continue }
        switch row.key.part {
        case .existence: hasExistence = true
        case .deletion: hasDeletion = true
        case .element(let value):
          let layer = layers.place(of: row.key.place, orAppending: Layer())
          _ = layers[at: layer].elements.place(of: value, orAppending: ())
        case .field(let name):
          withRows(of: name, in: row.key.place) { $0.add(row.payload, at: dot) }
        }
      }
      for number in layers.entries.indices where !layers[at: number].elements.entries.isEmpty {
        let place = layers.entries[number].key
        guard let outer = place.parent else { continue }
        withRows(of: place.name, in: outer) { $0.hasElements = true }
      }
    }

    private mutating func withRows(
      of name: String, in place: Place, _ body: (inout FieldRows) -> Void
    ) {
      let layer = layers.place(of: place, orAppending: Layer())
      let field = layers[at: layer].fields.place(of: name, orAppending: FieldRows())
      body(&layers[at: layer].fields[at: field])
    }
  }
}

extension Document.Contents {
  /// The rows of an object's fields, by name.
  func rows(
    in place: Document.Place
  ) -> ContiguousArray<(key: String, value: Document.FieldRows)> {
    layers.place(of: place).map { layers[at: $0].fields.entries } ?? []
  }

  /// The fields of an object.
  func fields(in place: Document.Place, under rules: RuleTree?) -> [String: Document.Value] {
    let rows = rows(in: place)
    var fields: [String: Document.Value] = [:]
    fields.reserveCapacity(rows.count)
    for (name, rows) in rows {
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      fields[name] = value(of: rows, at: target)
    }
    return fields
  }

  /// The value that a field shows; `nil` if it is absent.
  func value(
    of rows: Document.FieldRows, at target: Document.Editor.Target
  ) -> Document.Value? {
    switch rows.shown(at: target) {
    case .value(let value)?: value
    case .count(let count)?: .int(count)
    case .object?: .object(fields(in: target.beneath, under: target.rules))
    case .set?:
      .array(elements(in: target.beneath, with: rows.plainElements(at: target)))
    case nil: nil
    }
  }

  /// The complete values of a field's candidates; the content that all objects, or all
  /// sets, among them share is read once.
  func values(
    of candidates: ContiguousArray<Document.FieldRows.Candidate>,
    at target: Document.Editor.Target
  ) -> [Document.Value] {
    var (object, set): (Document.Value?, Document.Value?)
    return candidates.map { candidate in
      switch candidate.content {
      case .value(let value), .revision(let value, of: _): return value
      case .set:
        let value = set ?? .array(elements(in: target.beneath, with: []))
        set = value
        return value
      default:
        let value = object ?? .object(fields(in: target.beneath, under: target.rules))
        object = value
        return value
      }
    }
  }

  /// The elements of a set in their order, with those of plain arrays.
  private func elements(
    in place: Document.Place, with others: [Document.Value]
  ) -> [Document.Value] {
    var elements = layers.place(of: place).map { layers[at: $0].elements } ?? SmallMap()
    for element in others { _ = elements.place(of: element, orAppending: ()) }
    return elements.entries.map(\.key).sorted()
  }
}

extension Document {
  /// The state of a record as a whole, from its rows.
  enum RecordState {
    /// The record does not exist.
    case absent
    case present
    /// The record is deleted; the stamp is that of the latest deletion.
    case deleted(HybridTimestamp)

    var isPresent: Bool {
      if case .present = self { true } else { false }
    }
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// Whether a record exists or was deleted.
  ///
  /// A change that no deletion had seen competes with the deletions under the
  /// collection's rule; a change that was seen does not. Rows that the reader has not
  /// seen are ignored.
  func state(
    of record: Document.Place, under rule: Schema.DeletionRule,
    seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> Document.RecordState {
    let existence = Document.RowKey(record, .existence)
    let exists = isSeen.map { dots(of: existence).contains(where: $0) } ?? contains(existence)
    return exists ? stateOfContent(of: record, under: rule, seeing: isSeen) : .absent
  }

  /// Whether the content of a record was deleted, as if a row stated that the record
  /// exists.
  func stateOfContent(
    of record: Document.Place, under rule: Schema.DeletionRule,
    seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> Document.RecordState {
    var deletions = dots(of: Document.RowKey(record, .deletion))
    if let isSeen { deletions.removeAll { !isSeen($0) } }
    guard !deletions.isEmpty else { return .present }
    return state(of: record, deletions: deletions, under: rule, seeing: isSeen)
  }

  private func state(
    of record: Document.Place, deletions: ContiguousArray<Dot>, under rule: Schema.DeletionRule,
    seeing isSeen: ((Dot) -> Bool)?
  ) -> Document.RecordState {
    var versions: [VersionVector] = []
    var latest: HybridTimestamp?
    for dot in deletions {
      guard let payload = row(at: dot)?.payload else { continue }
      let stamp = HybridTimestamp(time: payload.time, replica: dot.replica)
      latest = Swift.max(latest ?? stamp, stamp)
      if case .deletion(let version) = payload.content { versions.append(version) }
    }
    guard let latest else { return .present }
    if rule == .deleteWins { return .deleted(latest) }
    let seen = VersionVector(mergingAll: versions)
    let changes = dots(under: record.hash) { $0.part != .deletion && $0.place.isWithin(record) }
      .filter { dot in
        !seen.contains(dot) && row(at: dot)?.payload.content.isTrace == false
          && isSeen.map { $0(dot) } ?? true
      }
    if rule == .updateWins { return changes.isEmpty ? .deleted(latest) : .present }
    let isOutlived = changes.contains { dot in
      row(at: dot).map { HybridTimestamp(time: $0.payload.time, replica: dot.replica) > latest }
        ?? false
    }
    return isOutlived ? .present : .deleted(latest)
  }
}
