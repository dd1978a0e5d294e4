extension Document {
  /// Prepares this copy, and copies made of it now, for reading records: see
  /// `DotTable.prepareGroupsForReading()`.
  package mutating func prepareForReading() {
    _table.prepareGroupsForReading()
  }

  /// Whether a record exists and is not deleted.
  public func contains(_ record: String, in collection: String) -> Bool {
    isPresent(Place(record: record, in: collection))
  }

  /// The time and replica of a record's deletion; `nil` unless it reads as deleted.
  public func deletion(of record: String, in collection: String) -> HybridTimestamp? {
    let place = Place(record: record, in: collection)
    guard case .deleted(let stamp) = _table.state(of: place, under: deletionRule(of: collection))
    else { return nil }
    return stamp
  }

  /// The names of the collections that have records, in the order of their bytes.
  ///
  /// - Complexity: O(n log n) for n records, plus O(rows) of records with a deletion, and
  ///   O(rows) for rows applied since the last read.
  public var collections: [String] {
    let names = Set(
      places(under: RowKey.existencesHash) { $0.part == .existence }
        .lazy.filter { isPresent($0) }.map(\.collection))
    return names.sorted { $0.comes(before: $1) }
  }

  /// The names of a collection's records, in the order of their bytes.
  ///
  /// - Complexity: O(n log n) for n records, plus O(rows) of records with a deletion, and
  ///   O(rows) for rows applied since the last read.
  public func records(in collection: String) -> [String] {
    records(in: collection) { $0.isPresent }
  }

  /// The names of a collection's records that are deleted and not purged, in the order of
  /// their bytes.
  public func deletedRecords(in collection: String) -> [String] {
    records(in: collection) { state in
      if case .deleted = state { true } else { false }
    }
  }

  private func records(
    in collection: String, where isIncluded: (RecordState) -> Bool
  ) -> [String] {
    let rule = deletionRule(of: collection)
    let hash = Place.hash(ofCollection: collection)
    let places = places(under: hash) {
      $0.part == .existence && KeyIdentity.areSame($0.place.collection, collection)
    }
    return places.filter { isIncluded(_table.state(of: $0, under: rule)) }.map(\.record)
      .sorted { $0.comes(before: $1) }
  }

  /// The fields of a record; `nil` if the record is absent.
  ///
  /// - Complexity: O(rows of the record).
  public func fields(of record: String, in collection: String) -> [String: Value]? {
    let place = Place(record: record, in: collection)
    let rows = RecordRows(of: place, in: _table)
    if rows.isPlain { return rows.exists ? rows.fields : nil }
    return presentContents(of: place)?.fields(in: place, under: rules(of: collection))
  }

  /// The fields that a deleted record would have after a restore; `nil` if there is no
  /// deleted record.
  ///
  /// - Complexity: O(rows of the record).
  public func deletedFields(of record: String, in collection: String) -> [String: Value]? {
    guard deletion(of: record, in: collection) != nil else { return nil }
    let place = Place(record: record, in: collection)
    return contents(of: place).fields(in: place, under: rules(of: collection))
  }

  /// The value of a field; `nil` if the field or the record is absent.
  ///
  /// - Complexity: Expected O(1) for each name of the path; O(rows beneath) for an object
  ///   or a set, and O(rows of the record) if it has a deletion.
  public func value(
    of path: FieldPath, of record: String, in collection: String
  ) -> Value? {
    target(of: path, of: record, in: collection).flatMap { value(at: $0) }
  }

  /// The values of some fields, also if the record is deleted.
  ///
  /// - Complexity: As of ``value(of:of:in:)`` for each, with one look at the rows of a
  ///   record that has a deletion.
  package func storedValues(
    of paths: [FieldPath], of record: String, in collection: String
  ) -> [Value?] {
    let place = Place(record: record, in: collection)
    if case .absent = _table.state(of: place, under: deletionRule(of: collection)) {
      return paths.map { _ in nil }
    }
    return paths.map { target(of: $0, in: place).flatMap { value(at: $0) } }
  }

  private func value(at target: Editor.Target) -> Value? {
    let rows = rows(of: target)
    switch rows.shown(at: target) {
    case .value(let value)?: return value
    case .count(let count)?: return .int(count)
    case .object?, .set?, .list?:
      return contents(of: target.beneath).value(of: rows, at: target)
    case .text?: return .string(text(of: rows))
    case nil: return nil
    }
  }

  /// Whether a field shows a set, because of its rule or because its writers saw a set
  /// there.
  ///
  /// - Complexity: As of ``value(of:of:in:)``.
  package func holdsSet(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    guard let target = target(of: path, of: record, in: collection),
      case .set? = rows(of: target).shown(at: target)
    else { return false }
    return true
  }
}

extension Document {
  /// The deletion rule of a collection.
  func deletionRule(of collection: String) -> Schema.DeletionRule {
    schema.collections[collection]?.deletion ?? .updateWins
  }

  /// The rules of a collection's fields.
  func rules(of collection: String) -> RuleTree? {
    schema.collections[collection]?.rules
  }

  func isPresent(_ record: Place) -> Bool {
    _table.state(of: record, under: deletionRule(of: record.collection)).isPresent
  }

  /// The contents of a record or object.
  func contents(of place: Place) -> Contents {
    Contents(of: place, in: _table)
  }

  /// The contents of a record; `nil` if the record is absent.
  func presentContents(of record: Place) -> Contents? {
    let contents = contents(of: record)
    let isThere = contents.hasDeletion ? isPresent(record) : contents.hasExistence
    return isThere ? contents : nil
  }

  /// The text of a field.
  func text(of rows: FieldRows) -> String { _table.text(of: rows) }

  func rows(of target: Editor.Target) -> FieldRows {
    var rows = FieldRows(of: target.key, in: _table)
    if rows.mayHaveLooseElements(at: target) {
      let place = target.beneath
      rows.hasElements = !_table.dots(under: place.hash) { $0.isElement(of: place) }.isEmpty
    }
    return rows
  }

  /// The field at a path, if the record exists and all fields on the way show objects.
  func target(
    of path: FieldPath, of record: String, in collection: String
  ) -> Editor.Target? {
    let place = Place(record: record, in: collection)
    return isPresent(place) ? target(of: path, in: place) : nil
  }

  /// The field at a path of a record, if all fields on the way show objects or lists.
  func target(of path: FieldPath, in record: Place) -> Editor.Target? {
    guard let last = path.names.last else { return nil }
    var place = record
    var rules = rules(of: record.collection)
    for name in path.names.dropLast() {
      let target = Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      guard self.rows(of: target).shown(at: target)?.holdsFields == true else { return nil }
      place = target.beneath
      rules = target.rules
    }
    return Editor.Target(place: place, name: last, rules: rules?.beneath(last))
  }

  /// The places of the rows under a prefix, each once.
  private func places(under hash: Int, where isUnder: (RowKey) -> Bool) -> [Place] {
    var places: [Place] = []
    _table.forEachRow(under: hash) { _, row in
      if isUnder(row.pointee.key) { places.append(row.pointee.key.place) }
    }
    guard _table.mayShareKeys else { return places }
    var seen: Set<Place> = []
    return places.filter { seen.insert($0).inserted }
  }
}

extension Document: CustomStringConvertible {
  /// The collections, with their numbers of records.
  public var description: String {
    let counts = collections.map { "\($0.visible): \(records(in: $0).count)" }
    return "Document(\(counts.joined(separator: ", ")))"
  }
}

extension Document {
  /// The number of a record's fields, without those in nested objects; 0 if the record is
  /// absent.
  ///
  /// - Complexity: O(rows of the record), without reading their contents. If several
  ///   replicas wrote them, also expected O(fields of the document with concurrent
  ///   values), and once O(rows) for rows applied since the last read.
  public func fieldCount(of record: String, in collection: String) -> Int {
    let place = Place(record: record, in: collection)
    guard isPresent(place) else { return 0 }
    let dots = _table.dots(under: place.hash) { $0.place == place && $0.fieldName != nil }
    // Rows of a removed counter show nothing, and are few.
    var hidden: Set<RowKey> = []
    for dot in dots {
      guard let row = _table.row(at: dot), case .counter(let counter) = row.payload.content,
        !counter.isTotal
      else { continue }
      hidden.insert(row.key)
    }
    let rules = rules(of: collection)
    hidden = hidden.filter { key in
      guard let name = key.fieldName else { return false }
      let target = Editor.Target(place: place, name: name, rules: rules?.beneath(name))
      return rows(of: target).shown(at: target) == nil
    }
    return _table.distinctKeyCount(of: dots) - hidden.count
  }
}

extension Document {
  /// Resolves many fields as they are read, and looks at each place on the way only once.
  struct ShownPlaces {
    let document: Document
    private var known: [Place: (isShown: Bool, rules: RuleTree?)] = [:]

    init(document: Document) {
      self.document = document
    }

    /// The field of a row, if the record exists and all fields on the way show objects.
    mutating func target(of key: RowKey) -> Editor.Target? {
      guard let name = key.fieldName else { return nil }
      let (isShown, rules) = look(at: key.place)
      return isShown
        ? Editor.Target(place: key.place, name: name, rules: rules?.beneath(name)) : nil
    }

    private mutating func look(at place: Place) -> (isShown: Bool, rules: RuleTree?) {
      if let found = known[place] { return found }
      var found = (isShown: false, rules: document.rules(of: place.collection))
      if let parent = place.parent {
        let (isShown, rules) = look(at: parent)
        let target = Editor.Target(
          place: parent, name: place.name, rules: rules?.beneath(place.name))
        found.rules = target.rules
        if isShown, document.rows(of: target).shown(at: target)?.holdsFields == true {
          found.isShown = true
        }
      } else {
        found.isShown = document.isPresent(place)
      }
      known[place] = found
      return found
    }
  }
}
