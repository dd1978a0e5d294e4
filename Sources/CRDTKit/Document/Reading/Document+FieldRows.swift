extension Document {
  /// The live rows of one field, and the value they show.
  struct FieldRows {
    /// A row with a value, or with the presence of an object, a set, a text or a list.
    struct Candidate {
      let dot: Dot
      let timestamp: HybridTimestamp
      let content: RowPayload.Content

      /// The candidate as rules compare it: objects, sets, texts and lists are empty.
      var alternative: Alternative {
        switch content {
        case .value(let value), .revision(let value, of: _): Alternative(value, at: timestamp)
        case .set, .list: Alternative(.array([]), at: timestamp)
        case .text: Alternative("", at: timestamp)
        default: Alternative(.object([:]), at: timestamp)
        }
      }
    }

    /// The value that a field shows.
    enum Shown {
      case value(Value)
      case object
      case set
      case text
      case list
      case count(Int64)
    }

    /// The first candidate; mostly the only one.
    private(set) var first: Candidate?
    private var others: ContiguousArray<Candidate> = []
    var counter: CounterRows?
    /// The time of the latest count.
    var countedAt: HybridTimestamp?
    /// Whether there are elements of a set without a row for the set.
    var hasElements = false
    /// The starts of the field's texts: one, unless writers spelled its name differently.
    private(set) var textStarts: ContiguousArray<Dot> = []

    init() {}

    /// The rows of a field that are seen, or all of them.
    init(
      of key: RowKey, in table: borrowing DotTable<RowKey, RowPayload>,
      seeing isSeen: ((Dot) -> Bool)? = nil
    ) {
      var last: Dot?
      var isInOrder = true
      table.forEachRow(
        hashedAs: key, where: { $0 == key },
        visit: { dot, row in
          if let isSeen, !isSeen(dot) { return }
          if let last, dot < last { isInOrder = false }
          last = dot
          add(row, at: dot)
        })
      guard isInOrder else {
        let dots = table.dots(of: key)
        self = FieldRows(isSeen.map { dots.filter($0) } ?? dots, of: table)
        return
      }
    }

    init(_ dots: ContiguousArray<Dot>, of table: borrowing DotTable<RowKey, RowPayload>) {
      for dot in dots {
        if let row = table.address(of: dot) { add(row, at: dot) }
      }
    }

    mutating func add(_ row: UnsafeMutablePointer<Row<RowKey, RowPayload>>, at dot: Dot) {
      let content = row.pointee.payload.content
      let stamp = HybridTimestamp(time: row.pointee.payload.time, replica: dot.replica)
      switch content {
      case .counter(let row):
        if counter == nil { counter = CounterRows() }
        counter?.add(row, of: dot.replica)
        guard row.isTotal else { return }
        countedAt = Swift.max(countedAt ?? stamp, stamp)
      case .member, .deletion, .mark: break
      case .value, .revision, .object, .set, .text, .list:
        if case .text = content { add(textStart: row.pointee.key.textStart) }
        let candidate = Candidate(dot: dot, timestamp: stamp, content: content)
        if first == nil { first = candidate } else { others.append(candidate) }
      }
    }

    private mutating func add(textStart start: Dot) {
      let place = textStarts.indices.partitioningIndex { textStarts[$0] >= start }
      guard place == textStarts.count || textStarts[place] != start else { return }
      textStarts.insert(start, at: place)
    }

    /// The rows with a value, or with the presence of an object or a set, in the order of
    /// their dots.
    var candidates: ContiguousArray<Candidate> {
      guard let first else { return [] }
      return [first] + others
    }

    /// The candidates that count: values that an undo has put back count only if there
    /// are no others.
    var writtenCandidates: ContiguousArray<Candidate> {
      let candidates = candidates
      if others.isEmpty { return candidates }
      let written = candidates.filter { !$0.timestamp.isOfPutBack }
      return written.isEmpty ? candidates : ContiguousArray(written)
    }

    /// The candidate, if its row is the only one and there is nothing else.
    var only: Candidate? { others.isEmpty && counter == nil && !hasElements ? first : nil }

    /// The value, if a single row holds it and there is nothing else.
    var plainValue: Value? {
      if case .value(let value)? = only?.content { value } else { nil }
    }

    /// Whether any candidate is of a kind.
    func hasCandidate(where isOfKind: (Candidate) -> Bool) -> Bool {
      first.map(isOfKind) == true || others.contains(where: isOfKind)
    }

    /// Whether there are several candidates.
    var hasSeveral: Bool { !others.isEmpty }
  }
}

extension Document.FieldRows {
  /// The value that the field shows under a rule; `nil` if it is absent.
  func shown(under rule: Schema.FieldRule) -> Shown? {
    if rule == .counter, let count = count(under: rule) { return .count(count) }
    if rule == .set, hasElements || hasSet { return .set }
    if rule == .text, hasText { return .text }
    if rule == .list, hasList { return .list }
    guard let winner = winner(under: rule) else {
      return counter.flatMap { $0.isRunning ? .count($0.count(from: 0)) : nil }
    }
    switch winner.content {
    case .value(let value), .revision(let value, of: _): return .value(value)
    case .set: return .set
    case .text: return .text
    case .list: return .list
    default: return .object
    }
  }

  /// The rule under which a field is read.
  ///
  /// Without a given rule, a field is a set if one of its writers saw a set there, and no
  /// one wrote a value that a set can't include; and a text or a list if a writer saw one.
  /// Otherwise the last writer wins.
  func rule(at target: Document.Editor.Target) -> Schema.FieldRule {
    guard target.isOpen, hasElements || hasSet || hasText || hasList else { return target.rule }
    if hasText { return .text }
    if hasList { return .list }
    return mayBeSet ? .set : .lastWriterWins
  }

  /// The value that the field shows; `nil` if it is absent.
  func shown(at target: Document.Editor.Target) -> Shown? { shown(under: rule(at: target)) }

  /// Whether elements without a row for their set would be shown.
  func mayHaveLooseElements(at target: Document.Editor.Target) -> Bool {
    (target.rule == .set || target.isOpen && mayBeSet) && !hasSet
  }

  /// Whether a set can include all written values.
  private var mayBeSet: Bool {
    !hasCandidate { candidate in
      switch candidate.content {
      case .set: false
      case .value(let value), .revision(let value, of: _): !value.mayStandInSet
      default: true
      }
    } && counter?.isRunning != true
  }

  /// The candidate that a rule selects.
  func winner(under rule: Schema.FieldRule) -> Candidate? {
    if !hasSeveral { return first }
    let candidates = candidates
    let winner = rule.winner(among: candidates.map(\.alternative))
    return candidates.first { $0.timestamp == winner?.timestamp && $0.alternative == winner }
  }

  /// The sum of the replicas' counts, on top of a plain number if one was written.
  private func count(under rule: Schema.FieldRule) -> Int64? {
    guard let counter, counter.isRunning else { return nil }
    guard case .int(let base)? = winner(under: rule)?.content.value else {
      return first == nil ? counter.count(from: 0) : nil
    }
    return counter.count(from: base)
  }

  /// Whether one of the writers saw a set here.
  var hasSet: Bool {
    hasCandidate { $0.isSet }
  }

  /// Whether one of the writers saw a text here.
  var hasText: Bool { !textStarts.isEmpty }

  /// Whether there is one text here and nothing else.
  var isTextAlone: Bool {
    textStarts.count == 1 && !hasCandidate { !$0.isText } && counter?.isRunning != true
  }

  /// Whether one of the writers saw a list here.
  var hasList: Bool {
    hasCandidate { $0.isList }
  }

  /// Whether there is a list here and nothing else.
  var isListAlone: Bool {
    hasList && !hasCandidate { !$0.isList } && counter?.isRunning != true
  }

  /// Whether there is a set here and nothing else.
  var isSetAlone: Bool {
    hasSet && !hasCandidate { !$0.isSet } && counter?.isRunning != true
  }

  /// Whether one of the writers saw an object here.
  var hasObject: Bool {
    hasCandidate { $0.isObject }
  }

  /// Whether there is an object here and nothing else.
  var isObjectAlone: Bool {
    !hasCandidate { !$0.isObject } && counter?.isRunning != true
  }

  /// The elements of plain arrays that are shown as elements of a set or a list.
  func plainElements(at target: Document.Editor.Target) -> [Document.Value] {
    let rule = rule(at: target)
    switch shown(under: rule) {
    case .value(.array(let elements))?: return elements
    case .set? where rule == .set, .list? where rule == .list:
      return candidates.flatMap { candidate in
        if case .array(let elements)? = candidate.content.value {
          elements
        } else {
          [] as [Document.Value]
        }
      }
    default: return []
    }
  }

  /// Whether there is an object, a set or a list here, or was for one of the writers.
  var hasContainer: Bool {
    hasCandidate { candidate in
      switch candidate.content {
      case .object, .set, .list: true
      default: false
      }
    }
  }
}

extension DotTable<Document.RowKey, Document.RowPayload> {
  /// The text of a field, in the order of the starts if it has several.
  func text(of rows: Document.FieldRows) -> String {
    rows.textStarts.map { textString(at: $0) }.joined()
  }
}

extension Document.Value {
  /// Whether a set can include the value: it is an array or null.
  var mayStandInSet: Bool {
    switch self {
    case .array, .null: true
    default: false
    }
  }
}

extension Document.FieldRows.Candidate {
  var isSet: Bool {
    if case .set = content { true } else { false }
  }

  var isObject: Bool {
    if case .object = content { true } else { false }
  }

  var isList: Bool {
    if case .list = content { true } else { false }
  }

  var isText: Bool {
    if case .text = content { true } else { false }
  }
}

extension Document.FieldRows.Shown {
  /// Whether the field holds fields of its own: those of an object, or the elements of a list.
  var holdsFields: Bool {
    switch self {
    case .object, .list: true
    case .value, .set, .text, .count: false
    }
  }

  /// The shown value as rules compare it: objects, sets, texts and lists are empty.
  var compared: Document.Value {
    switch self {
    case .value(let value): value
    case .object: .object([:])
    case .set, .list: .array([])
    case .text: ""
    case .count(let count): .int(count)
    }
  }
}

extension CounterRows {
  /// The sum of the surviving counts, added to a number.
  ///
  /// If the sum is out of bounds, which only a hostile peer can cause, this is the
  /// nearest number.
  func count(from base: Int64) -> Int64 {
    Int64(clamping: surviving.sum + Int128(base))
  }
}
