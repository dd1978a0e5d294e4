extension Document.Editor {
  /// Writes a field in place of all seen values, and returns whether it was written.
  ///
  /// Under ``Schema/FieldRule/firstWriterWins``, ``Schema/FieldRule/max`` or
  /// ``Schema/FieldRule/min``, a value that would not win is not written. An object is written name
  /// by name, and other names in the field are removed. Under the counter rule a whole number sets
  /// the counter by counting up or down. Under the set rule, and where the field reads as a
  /// set, an array sets the set by adding and removing elements. Under the text rule, and where
  /// the field reads as a text, a string sets the text by inserting and removing characters.
  /// Under the list rule, and where the field reads as a list, an array sets the list by
  /// inserting, moving, changing and removing elements.
  ///
  /// - Precondition: The path, with the names within the value, has 1 to 32 names; each
  ///   has at most ``Document/Value/maximumNameLength`` bytes.
  /// - Complexity: Expected O(size of the written and replaced values).
  @discardableResult
  public mutating func set(
    _ path: FieldPath, of record: String, in collection: String, to value: Document.Value
  ) -> Bool {
    Document.Value.requireRoom(for: value, at: path)
    let target = open(path, of: record, in: collection)
    return assign(value, to: target, isForced: true)
  }

  /// Removes a field and everything beneath it, and returns whether there was anything.
  ///
  /// Values, counts and elements that are written to the field concurrently stay. A value
  /// that is written within an object concurrently with its removal is not shown.
  ///
  /// - Complexity: Expected O(rows of the field and beneath it).
  @discardableResult
  public mutating func remove(
    _ path: FieldPath, of record: String, in collection: String
  ) -> Bool {
    guard let target = find(path, of: record, in: collection) else { return false }
    noteOpenRecord()
    guard clear(target) else { return false }
    noteChanges(of: target.place)
    _ = openRecord(record, in: collection)
    object = nil
    return true
  }

  /// Creates a record if it does not exist, and returns whether it was created.
  @discardableResult
  public mutating func create(_ record: String, in collection: String) -> Bool {
    let isNew = !contains(record, in: collection)
    _ = openRecord(record, in: collection)
    return isNew
  }

  /// Creates a record without fields, and removes the rows of a deleted record of the
  /// same name.
  ///
  /// It writes a new row for the record's existence, so that the two records can be told
  /// apart.
  ///
  /// - Complexity: Expected O(rows of the record that was deleted).
  package mutating func create(anew record: String, in collection: String) {
    if !contains(record, in: collection) {
      let place = openRecord(record, in: collection)
      if !isNewRecord {
        let existence = row(Document.RowKey(place, .existence), .object)
        rewrite(existence.key) { _, _ in existence }
        clear(dotsWithin(place).filter { table.row(at: $0)?.key.part.isContent == true })
      }
    } else {
      _ = openRecord(record, in: collection)
    }
  }

  /// Writes a value; unless forced, only if the field shows another.
  @discardableResult
  mutating func assign(
    _ value: Document.Value, to target: Target, isForced: Bool
  ) -> Bool {
    switch (value, target.rule) {
    case (.object(let fields), _):
      return assignObject(fields, to: target)
    case (.array(let elements), _):
      switch readingRule(of: target) {
      case .set: return assignSet(elements, to: target)
      case .list: return assignList(elements, to: target)
      default: return assignValue(value, to: target, isForced: isForced)
      }
    case (.string(let string), let rule)
    where rule == .text || isSeen != nil && readsAsText(target):
      return assignText(string, to: target)
    case (.int(let number), .counter):
      return assignCount(number, to: target)
    default:
      return assignValue(value, to: target, isForced: isForced, mayEditText: true)
    }
  }

  /// Writes a value; a string edits the text that the field reads as, if it may.
  mutating func assignValue(
    _ value: Document.Value, to target: Target, isForced: Bool, mayEditText: Bool = false
  ) -> Bool {
    let hasElements = hasElementsToReplace(by: value, at: target)
    // The most frequent case for fields of models: one value, and unchanged.
    if isSeen == nil, !isForced, !hasElements, table.holdsOnly(value, for: target.key) {
      return false
    }
    var isContainer = hasElements
    var counter: CounterRows?
    var texts: ContiguousArray<Dot> = []
    var edited: String?
    let timestamp = timestamp
    let isWritten = rewrite(target.key) { table, dots in
      guard !dots.isEmpty || hasElements else {
        return Self.row(target.key, .value(value), at: timestamp)
      }
      // Mostly there is one row with a value, which needs no list of candidates.
      if dots.count == 1, !hasElements, target.rule == .lastWriterWins,
        let row = table.address(of: dots[0]), case .value(let old) = row.pointee.payload.content
      {
        return isForced || old != value
          ? Self.row(row.pointee.key, .value(value), at: timestamp) : nil
      }
      var rows = Document.FieldRows(dots, of: table)
      rows.hasElements = hasElements
      if mayEditText, rows.hasText, target.isOpen, case .string(let string) = value {
        edited = string
        return nil
      }
      // The removed row shares its place with the new one.
      let key = dots.first.flatMap { table.address(of: $0)?.pointee.key } ?? target.key
      if let shown = rows.shown(at: target) {
        if !isForced, case .value(let old) = shown, old == value { return nil }
        if !target.rule.admits(value, over: shown.compared) { return nil }
      }
      isContainer = hasElements || rows.hasContainer
      counter = rows.counter
      texts = rows.textStarts
      return Self.row(key, rows.revision(to: value, under: target.rule), at: timestamp)
    }
    if let edited { return assignText(edited, to: target) }
    guard isWritten else { return false }
    if isContainer { clear(dotsWithin(target.beneath)) }
    if let counter { forget(counter, at: target) }
    removeTexts(texts, of: target.key)
    return true
  }

  /// Whether a value replaces elements of a set for which no row says that they are one.
  private mutating func hasElementsToReplace(
    by value: Document.Value, at target: Target
  ) -> Bool {
    if target.rule == .set { return rows(of: target).hasElements }
    guard target.isOpen, value.mayStandInSet, !isNewRecord else { return false }
    return !rows(of: target).hasSet && hasElements(beneath: target)
  }

  private mutating func assignObject(
    _ fields: [String: Document.Value], to target: Target
  ) -> Bool {
    let before = table.eventCount
    let shown = rows(of: target).shown(under: target.rule)
    switch shown {
    case .object?, nil: break
    case let shown?:
      guard target.rule.admits(.object([:]), over: shown.compared) else { return false }
    }
    let place = openObject(at: target, isAlone: true)
    replaceFields(in: place, of: target, with: fields)
    return table.eventCount != before
  }

  /// Makes an object hold exactly these fields.
  mutating func replaceFields(
    in place: Document.Place, of target: Target, with fields: [String: Document.Value]
  ) {
    for name in names(in: place) where fields[name] == nil {
      clear(target.field(name, in: place))
    }
    for (name, value) in fields.sorted(by: { $0.key.comes(before: $1.key) }) {
      assign(value, to: target.field(name, in: place), isForced: false)
    }
  }

  /// The names of the fields that have rows in an object.
  mutating func names(in place: Document.Place) -> [String] {
    var names: Set<String> = []
    for dot in dotsWithin(place) {
      guard let key = table.row(at: dot)?.key else { continue }
      if key.place == place, let name = key.fieldName {
        names.insert(name)
      } else if key.fieldName == nil, !key.part.isMark, key.place.parent == place {
        names.insert(key.place.name)
      }
    }
    return names.sorted { $0.comes(before: $1) }
  }

  /// Removes a field and everything beneath it, and returns whether there was anything.
  @discardableResult
  mutating func clear(_ target: Target) -> Bool {
    clear(dots(of: target.key) + dotsWithin(target.beneath))
  }

  /// Removes rows, and returns whether there was anything but traces of counters.
  ///
  /// Traces stay, and record how much of the removed counters was seen. The characters of
  /// texts, and their marks, go with the row that says that there is a text.
  @discardableResult
  mutating func clear(_ dots: ContiguousArray<Dot>) -> Bool {
    let before = table.eventCount
    forgetCounters(among: dots)
    removeTexts(among: dots)
    let removed = removedRows(among: dots)
    if !removed.isEmpty { table.remove(removed, by: replica) }
    return table.eventCount != before
  }

  /// Replaces the rows of each counter by a trace.
  private mutating func forgetCounters(among dots: ContiguousArray<Dot>) {
    var counters: [Document.RowKey: (rows: CounterRows, dots: ContiguousArray<Dot>)] = [:]
    var order: [Document.RowKey] = []
    for dot in dots {
      guard let found = table.row(at: dot), case .counter(let payload) = found.payload.content
      else { continue }
      if counters[found.key] == nil { order.append(found.key) }
      counters[found.key, default: (CounterRows(), [])].rows.add(payload, of: dot.replica)
      counters[found.key]?.dots.append(dot)
    }
    for key in order {
      guard let counter = counters[key], counter.rows.isRunning else { continue }
      table.write(
        row(key, .counter(counter.rows.forgotten)), by: replica, killing: counter.dots)
    }
  }
}

extension Document.FieldRows {
  /// The content of a row that replaces these rows by a value.
  func revision(
    to value: Document.Value, under rule: Schema.FieldRule
  ) -> Document.RowPayload.Content {
    guard rule == .manual, let winner = winner(under: rule) else { return .value(value) }
    switch winner.content {
    case .value, .revision: return .revision(value, of: winner.alternative)
    default: return .value(value)
    }
  }
}

extension Document.RowPayload.Content {
  var isCounter: Bool {
    if case .counter = self { true } else { false }
  }

  /// Whether the row only records how much of a removed counter was seen.
  var isTrace: Bool {
    if case .counter(let row) = self { !row.isTotal } else { false }
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// Whether a field has a single row, which holds the value.
  func holdsOnly(_ value: Document.Value, for key: Document.RowKey) -> Bool {
    var count = 0
    var only: Dot?
    // The body must not mention the table, or the table would be copied.
    forEachMatch(of: key) { dot in
      count += 1
      only = dot
    }
    guard count == 1, let only, let place = column(of: only.replica),
      let found = columns[place].find(only.counter)
    else { return false }
    let page = columns[place].pageSlots[found.pageSlot].page
    return withExtendedLifetime(page) {
      let row = page.address(of: page.place(of: found.slot))
      if case .value(let held) = row.pointee.payload.content { return held == value }
      return false
    }
  }
}
