extension Document {
  /// The addresses of a record's rows, found in one pass.
  ///
  /// In most records each field has one row, with a value or an object. Such a record is read
  /// straight from its rows, and a model is compared with them, without a list of the rows of
  /// each field. The addresses are valid while the table is held and not changed.
  struct RecordRows {
    typealias Address = UnsafeMutablePointer<Row<RowKey, RowPayload>>

    /// The record, then the objects and sets in it that have rows.
    private var places: ContiguousArray<Place>
    /// The rows of fields, each with the index of its place.
    private var rows: ContiguousArray<(place: Int, row: Address)> = []
    /// The indices of places with elements.
    private var sets: ContiguousArray<Int> = []
    private(set) var exists = false
    /// Whether each field has one row, with a value or an object, and the record no deletion.
    private(set) var isPlain = true
    /// Whether all rows of the record are among these; `false` if it has many objects.
    private(set) var isWhole = true
    /// Whether two rows may have the same key.
    private let mayShareKeys: Bool

    init(of record: Place, in table: borrowing DotTable<RowKey, RowPayload>) {
      places = [record]
      mayShareKeys = table.mayShareKeys
      rows.reserveCapacity(32)
      table.forEachRow(under: record.hash) { _, row in add(row, of: record) }
      if isPlain, mayShareKeys { isPlain = hasUniqueNames }
    }

    private mutating func add(_ row: Address, of record: Place) {
      guard let place = place(of: row, in: record) else { return }
      switch row.pointee.key.part {
      case .existence: exists = true
      case .deletion, .position, .mark: isPlain = false
      case .element:
        isPlain = false
        if sets.last != place { sets.append(place) }
      case .field:
        rows.append((place, row))
        switch row.pointee.payload.content {
        case .value, .object: break
        default: isPlain = false
        }
      }
    }

    /// The number of places that are searched one by one.
    private static var placesMax: Int { 16 }

    /// The index of a row's place; `nil` if the row is of another record, or there are too many.
    private mutating func place(of row: Address, in record: Place) -> Int? {
      // Rows mostly share the place of the row before.
      if let last = rows.last, places[last.place] === row.pointee.key.place { return last.place }
      let place = row.pointee.key.place
      if let known = places.firstIndex(where: { $0 == place }) {
        places[known] = place
        return known
      }
      guard place.isWithin(record) else { return nil }
      guard places.count < Self.placesMax else {
        (isPlain, isWhole) = (false, false)
        return nil
      }
      places.append(place)
      return places.count - 1
    }

    private var hasUniqueNames: Bool {
      guard rows.count <= 64 else { return false }
      var known: ContiguousArray<(place: Int, digest: UInt64)> = []
      for (place, row) in rows {
        guard case .field(let name) = row.pointee.key.part else { continue }
        let digest = name.digest
        if digest == 0 || known.contains(where: { $0 == (place, digest) }) { return false }
        known.append((place, digest))
      }
      return true
    }
  }
}

/// What a plain record reads as.
extension Document.RecordRows {
  /// The node of the record, from which a model is decoded.
  var node: CodableNode { node(of: 0) }

  private func node(of place: Int) -> CodableNode {
    var fields: [CodableNode.Field] = []
    fields.reserveCapacity(rows.count)
    for (at, row) in rows where at == place {
      guard case .field(let name) = row.pointee.key.part else { continue }
      if case .value(let value) = row.pointee.payload.content {
        fields.append(CodableNode.Field(key: name, node: value.node))
      } else {
        let inner = object(name, in: place).map { node(of: $0) } ?? .object([])
        fields.append(CodableNode.Field(key: name, node: inner))
      }
    }
    return .object(ofUnsorted: fields)
  }

  /// The fields of the record.
  var fields: [String: Document.Value] { fields(of: 0) }

  private func fields(of place: Int) -> [String: Document.Value] {
    var fields: [String: Document.Value] = [:]
    fields.reserveCapacity(rows.count)
    for (at, row) in rows where at == place {
      guard case .field(let name) = row.pointee.key.part else { continue }
      if case .value(let value) = row.pointee.payload.content {
        fields[name] = value
      } else {
        fields[name] = .object(object(name, in: place).map { self.fields(of: $0) } ?? [:])
      }
    }
    return fields
  }

  /// The index of the place of an object's rows; `nil` if it has none.
  private func object(_ name: String, in place: Int) -> Int? {
    places.indices.first { index in
      places[index].parent.map { $0 == places[place] } == true
        && KeyIdentity.areSame(places[index].name, name)
    }
  }
}

/// What a write of a model would leave as it is, as far as that can be told without another
/// search.
extension Document.RecordRows {
  /// The fields of a model that the record does not hold already.
  func changes(
    in fields: [CodableNode.Field], under rules: RuleTree?
  ) -> [CodableNode.Field] {
    changes(in: fields, at: 0, under: rules)
  }

  private func changes(
    in fields: [CodableNode.Field], at place: Int?, under rules: RuleTree?
  ) -> [CodableNode.Field] {
    var next = 0
    var left: [CodableNode.Field] = []
    var isMatched = ContiguousArray(repeating: false, count: rows.count)
    for field in fields {
      let rules = rules?.beneath(field.key)
      let found = place.map { find(field.key, in: $0, from: &next) } ?? .none
      guard case .row(let index) = found else {
        if !found.isNone || !field.node.isAbsent { left.append(field) }
        continue
      }
      // Of two spellings of one name, the last counts, so both are written.
      if isMatched[index] { return fields }
      isMatched[index] = true
      if let changed = change(field, from: rows[index].row, in: place, under: rules) {
        left.append(changed)
      }
    }
    return left
  }

  /// The part of a field that its only row does not hold already, if any.
  private func change(
    _ field: CodableNode.Field, from row: Address, in place: Int?, under rules: RuleTree?
  ) -> CodableNode.Field? {
    guard rules?.rule?.isOfWholeValues ?? true else { return field }
    switch (field.node, row.pointee.payload.content) {
    case (.object(let inner), .object):
      let place = place.flatMap { object(field.key, in: $0) }
      let left = changes(in: inner, at: place, under: rules)
      return left.isEmpty ? nil : CodableNode.Field(key: field.key, node: .object(left))
    case (.object, _), (.shaped(_, .dictionary), _), (.shaped(_, .set), _),
      (.shaped(_, .state), _), (.shaped(_, .states), _):
      return field
    case (.shaped(_, .absent), .value(.null)): return nil
    case (.shaped(_, .absent), _): return field
    case (let node, .value(let value)): return value == Document.Value(node) ? nil : field
    default: return field
    }
  }

  /// Whether a field holds a value that is written in one piece, or has no rows if the
  /// value is null.
  func holds(_ value: Document.Value, at name: String, under rule: Schema.FieldRule?) -> Bool {
    var next = 0
    switch find(name, in: 0, from: &next) {
    case .none: return value == .null
    case .row(let index):
      guard rule?.isOfWholeValues ?? true,
        case .value(let held) = rows[index].row.pointee.payload.content
      else { return false }
      return held == value
    case .rows: return false
    }
  }

  private enum Found {
    case none
    /// The index of the only row.
    case row(Int)
    /// Several rows, or elements of a set.
    case rows

    var isNone: Bool {
      if case .none = self { true } else { false }
    }
  }

  /// The rows of a field; `next` is the index of the row that is looked at first, which is
  /// mostly the one, because rows are in the order in which models were written.
  private func find(_ name: String, in place: Int, from next: inout Int) -> Found {
    var found = Found.none
    for step in rows.indices {
      let index = next + step < rows.count ? next + step : next + step - rows.count
      guard rows[index].place == place, case .field(let known) = rows[index].row.pointee.key.part,
        KeyIdentity.areSame(known, name)
      else { continue }
      guard found.isNone else { return .rows }
      found = .row(index)
      guard mayShareKeys else {
        next = index + 1
        break
      }
    }
    if !sets.isEmpty, let set = object(name, in: place), sets.contains(set) { return .rows }
    return found
  }
}

extension Schema.FieldRule {
  /// Whether a field's value is written in one piece, and not by the difference.
  fileprivate var isOfWholeValues: Bool {
    switch self {
    case .counter, .set, .text, .list, .merged: false
    default: true
    }
  }
}
