extension Document {
  /// The rows of a record or object, grouped by place, and read together.
  struct Contents {
    /// The rows directly in one place.
    private struct Layer {
      var fields = SmallMap<String, FieldRows>()
      /// The elements in the order of their dots, each once.
      var elements = SmallMap<Value, Void>()
      /// Where the elements of a list stand: the latest place of each.
      var positions = SmallMap<String, Position>()
    }

    /// A place of a list's element.
    private struct Position {
      var dot: Dot
      var time: UInt64
    }

    private var layers = SmallMap<Place, Layer>()
    /// Whether a row states that the record exists.
    private(set) var hasExistence = false
    /// Whether a row states that the record was deleted.
    private(set) var hasDeletion = false
    /// The texts of the fields, by their starts.
    private var texts: [Dot: String] = [:]
    /// The places of lists in order, by their characters.
    private var ranks: [Dot: Int] = [:]

    /// Creates the contents of a place without rows.
    init() {}

    /// Collects the rows of a place.
    init(of place: Place, in table: borrowing DotTable<RowKey, RowPayload>) {
      var lists = RecordPlaces()
      table.forEachRow(under: place.hash) { dot, row in
        guard row.pointee.key.place.isWithin(place) else { return }
        add(row, at: dot)
        if case .position = row.pointee.key.part { lists.append(row.pointee.key.place) }
      }
      for start in lists.listStarts {
        table.forEachCharacter(ofTextAt: start) { ranks[$0] = ranks.count }
      }
      for number in layers.keys.indices where !layers.values[number].elements.keys.isEmpty {
        let place = layers.keys[number]
        guard let outer = place.parent else { continue }
        withRows(of: place.name, in: outer) { $0.hasElements = true }
      }
      for start in texts.keys { texts[start] = table.textString(at: start) }
    }

    private mutating func add(
      _ row: UnsafeMutablePointer<Row<RowKey, RowPayload>>, at dot: Dot
    ) {
      switch row.pointee.key.part {
      case .existence: hasExistence = true
      case .deletion: hasDeletion = true
      case .element(let value):
        let layer = layers.place(of: row.pointee.key.place, orAppending: Layer())
        _ = layers.values[layer].elements.place(of: value, orAppending: ())
      case .position(let name):
        let layer = layers.place(of: row.pointee.key.place, orAppending: Layer())
        let found = Position(dot: dot.listPlace, time: row.pointee.payload.time)
        let number = layers.values[layer].positions.place(of: name, orAppending: found)
        let known = layers.values[layer].positions.values[number]
        if (known.time, known.dot) < (found.time, found.dot) {
          layers.values[layer].positions.values[number] = found
        }
      case .mark: break
      case .field(let name):
        withRows(of: name, in: row.pointee.key.place) { $0.add(row, at: dot) }
        if case .text = row.pointee.payload.content { texts[row.pointee.key.textStart] = "" }
      }
    }

    private mutating func withRows(
      of name: String, in place: Place, _ body: (inout FieldRows) -> Void
    ) {
      let layer = layers.place(of: place, orAppending: Layer())
      let field = layers.values[layer].fields.place(of: name, orAppending: FieldRows())
      body(&layers.values[layer].fields.values[field])
    }
  }
}

extension Document.Contents {
  /// The rows of an object's fields, by name.
  func rows(in place: Document.Place) -> SmallMap<String, Document.FieldRows> {
    layers.place(of: place).map { layers.values[$0].fields } ?? SmallMap()
  }

  /// The place of a field's content.
  func beneath(_ target: Document.Editor.Target) -> Document.Place {
    // The place of the rows there needs no new hash.
    guard layers.keys.count <= 8 else { return target.beneath }
    return layers.keys.first { $0.parent == target.place && $0.name == target.name }
      ?? target.beneath
  }

  /// The fields of an object.
  func fields(in place: Document.Place, under rules: RuleTree?) -> [String: Document.Value] {
    let rows = rows(in: place)
    var fields: [String: Document.Value] = [:]
    fields.reserveCapacity(rows.keys.count)
    for (number, name) in rows.keys.enumerated() {
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      fields[name] = value(of: rows.values[number], at: target)
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
    case .object?: .object(fields(in: beneath(target), under: target.rules))
    case .set?:
      .array(elements(in: beneath(target), with: rows.plainElements(at: target)))
    case .text?: .string(text(of: rows))
    case .list?: .array(list(of: rows, at: target))
    case nil: nil
    }
  }

  /// The values of a list's elements in order, then those of plain arrays that were written at
  /// the same time.
  private func list(
    of rows: Document.FieldRows, at target: Document.Editor.Target
  ) -> [Document.Value] {
    let values = elements(in: beneath(target), under: target.rules).map(\.value)
    return rows.isListAlone
      ? values : values + rows.plainElements(at: target).missing(in: values)
  }

  private func text(of rows: Document.FieldRows) -> String {
    rows.textStarts.map { texts[$0] ?? "" }.joined()
  }

  /// The complete values of a field's candidates; the content that all objects, all sets, or
  /// all lists among them share is read once, and so is the text.
  func values(
    of candidates: ContiguousArray<Document.FieldRows.Candidate>,
    at target: Document.Editor.Target, text: @autoclosure () -> String
  ) -> [Document.Value] {
    var (object, set, list): (Document.Value?, Document.Value?, Document.Value?)
    lazy var text = Document.Value.string(text())
    return candidates.map { candidate in
      switch candidate.content {
      case .value(let value), .revision(let value, of: _): return value
      case .text: return text
      case .set:
        let value = set ?? .array(elements(in: beneath(target), with: []))
        set = value
        return value
      case .list:
        let value =
          list ?? .array(elements(in: beneath(target), under: target.rules).map(\.value))
        list = value
        return value
      default:
        let value = object ?? .object(fields(in: beneath(target), under: target.rules))
        object = value
        return value
      }
    }
  }

  /// The elements of a list with their names and places, in order; those without a place are
  /// at the end.
  func elements(
    in place: Document.Place, under rules: RuleTree?
  ) -> [Document.Editor.ListElement] {
    let rows = rows(in: place)
    return elementNumbers(in: place).compactMap { number, dot in
      let name = rows.keys[number]
      let target = Document.Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      return value(of: rows.values[number], at: target).map {
        Document.Editor.ListElement(name: name, value: $0, place: dot)
      }
    }
  }

  /// The numbers of a list's fields, in the order in which their elements stand, with the
  /// places.
  func elementNumbers(in place: Document.Place) -> [(number: Int, place: Dot?)] {
    guard let layer = layers.place(of: place).map({ layers.values[$0] }) else { return [] }
    let found = layer.fields.keys.enumerated().map { number, name in
      let dot = layer.positions[name]?.dot
      let rank = dot.flatMap { ranks[$0] }
      return (number: number, place: rank == nil ? nil : dot, rank: rank ?? .max, name: name)
    }
    return found.sorted { left, right in
      left.rank == right.rank
        ? left.name.comes(before: right.name) : left.rank < right.rank
    }.map { ($0.number, $0.place) }
  }

  /// The names that have a place in a list, and no row with a value.
  func idlePositions(in place: Document.Place) -> [String] {
    guard let layer = layers.place(of: place).map({ layers.values[$0] }) else { return [] }
    return layer.positions.keys.filter { layer.fields.place(of: $0) == nil }
  }

  /// The elements of a set in their order, with those of plain arrays.
  private func elements(
    in place: Document.Place, with others: [Document.Value]
  ) -> [Document.Value] {
    var elements = layers.place(of: place).map { layers.values[$0].elements } ?? SmallMap()
    for element in others { _ = elements.place(of: element, orAppending: ()) }
    return elements.keys.sorted()
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
    let rows = rows(of: Document.RecordName(record), seeing: isSeen)
    guard rows.existence != nil else { return .absent }
    return state(of: record, deletions: rows.deletions, under: rule, seeing: isSeen)
  }

  /// Whether the content of a record was deleted, as if a row stated that the record
  /// exists.
  func stateOfContent(
    of record: Document.Place, under rule: Schema.DeletionRule,
    seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> Document.RecordState {
    let deletions = rows(of: Document.RecordName(record), seeing: isSeen).deletions
    return state(of: record, deletions: deletions, under: rule, seeing: isSeen)
  }

  /// The rows about a record as a whole, in the order of their dots; of several that state
  /// its existence, the first.
  func rows(
    of record: Document.RecordName, seeing isSeen: ((Dot) -> Bool)? = nil
  ) -> (existence: (dot: Dot, place: Document.Place)?, deletions: ContiguousArray<Dot>) {
    var existence: (dot: Dot, place: Document.Place)?
    var deletions: ContiguousArray<Dot> = []
    forEachRow(
      hashedAs: record, ofOneKey: false,
      where: { !$0.part.isContent && record.isName(of: $0.place) },
      visit: { dot, row in
        if let isSeen, !isSeen(dot) { return }
        if case .deletion = row.pointee.key.part {
          deletions.append(dot)
        } else if existence.map({ dot < $0.dot }) ?? true {
          existence = (dot, row.pointee.key.place)
        }
      })
    if deletions.count > 1 { deletions.sort() }
    return (existence, deletions)
  }

  private func state(
    of record: Document.Place, deletions: ContiguousArray<Dot>, under rule: Schema.DeletionRule,
    seeing isSeen: ((Dot) -> Bool)?
  ) -> Document.RecordState {
    if deletions.isEmpty { return .present }
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
