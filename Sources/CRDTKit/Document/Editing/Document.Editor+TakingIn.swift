extension Document.Editor {
  /// Applies the state of a record that an authority, which isn't a replica, has sent.
  ///
  /// A field is written if it differs from its value before the changes that the
  /// authority has not received yet. The record is created if it does not exist.
  ///
  /// The editor's stamp should be that of the authority's ``ReplicaID/delegate(for:)``.
  /// Field by field,
  /// - a value equal to the base is not written: the authority has not changed it;
  /// - another value replaces exactly what the authority has seen: a value that it hasn't
  ///   seen stays, and the field's rule chooses which of the two is shown;
  /// - a text gets the changes that lead to the authority's from what it has shown before: what
  ///   others have written stays until the authority has shown it;
  /// - objects are applied name by name; a name that the base has and the authority lacks
  ///   is removed as far as it was seen;
  /// - a whole number under ``Schema/FieldRule/counter`` adds its difference to the number from
  ///   which the counter continues, so the counts of replicas stay, and stores that
  ///   receive the same number don't add it twice;
  /// - arrays under ``Schema/FieldRule/set`` add and remove elements;
  /// - arrays under ``Schema/FieldRule/list`` insert, move, change and remove elements.
  ///
  /// A field that isn't in `fields` stays, unless the record has to be made for the
  /// authority: then what it saw of a former one ends. If another replica wrote the same value or
  /// element as the authority, and the authority has not seen it, it becomes the
  /// authority's own. Later changes by the authority then replace it. This happens only
  /// if the field continues to show the same value.
  ///
  /// - Parameters:
  ///   - fields: The fields that the authority has sent.
  ///   - record: The name of the record.
  ///   - collection: The record's collection.
  ///   - own: The replica for which the delegate writes. Its changes that the authority
  ///     has not seen are still on their way to it, and stay its own.
  ///   - base: The value of a field, given its outermost name, before the changes that
  ///     the authority has not seen; `nil` if it was absent. For a counter this is the
  ///     number it shows without the amounts that the authority still has to add: the
  ///     difference between the authority's number and this one is added each time.
  ///   - shown: The texts that the authority has shown before, as far as they are known. What
  ///     others have done to a text that it hasn't shown is no part of its change.
  ///   - time: The time when the authority wrote a field, given its outermost name, as
  ///     the ``HybridTimestamp/time`` of a stamp. A time after the editor's counts as the
  ///     editor's. A time before that of the authority's replaced value counts as that
  ///     one's. `nil` stands for an unknown time: a plain value that another replica wrote as
  ///     well, unseen and after what it replaces, is as old as that write; any other is written
  ///     as of before all writes of the replica to the field, and its deletions of it, that the
  ///     authority has not seen. Without this parameter, all fields have the editor's
  ///     time.
  ///   - isSeen: Whether the authority has seen an event.
  /// - Returns: The paths of the written fields.
  /// - Complexity: Expected O(size of the fields and of the values they replace).
  /// - Throws: ``Document/UnstorableValue`` if a name is too long or a value is nested
  ///   too deep. Then nothing has changed.
  @discardableResult
  package mutating func takeIn(
    _ fields: [String: Document.Value], of record: String, in collection: String,
    besides own: ReplicaID, base: (String) -> Document.Value?,
    shown: [FieldPath: String] = [:], time: ((String) -> UInt64?)? = nil,
    seeing isSeen: (Dot) -> Bool
  ) throws(Document.UnstorableValue) -> [FieldPath] {
    if let reason = record.reasonAgainstName ?? collection.reasonAgainstName {
      throw Document.UnstorableValue(path: [], reason: reason)
    }
    let fields = fields.sorted { $0.key.comes(before: $1.key) }
    for (name, value) in fields { try value.requireRoom(at: [name]) }
    return seeing(isSeen) { edit in
      var intake = Intake(own: own, now: edit.timestamp.time, shown: shown)
      let place = Document.Place(record: record, in: collection, near: edit.record)
      if edit.dots(of: Document.RowKey(place, .existence)).isEmpty,
        !edit.dotsWithin(place).isEmpty
      {
        // Making a record ends what the authority saw of a former one.
        intake.former = edit.table
      }
      // A new record is as old as the latest of its fields.
      let times = fields.map { time?($0.key) }
      let opened = edit.stamping(at: times.contains(nil) ? nil : times.compactMap(\.self).max()) {
        $0.openRecord(record, in: collection)
      }
      let rules = edit.collectionRules?.rules
      for ((name, value), said) in zip(fields, times) {
        let target = Target(place: opened, name: name, rules: rules?.beneath(name))
        let isUnsaid = time != nil && said == nil
        // Whatever the authority's clock shows, its value is later than the value it
        // replaces.
        let time =
          isUnsaid
          ? edit.timeBeforeUnseen(of: target, by: own)
          : said.map { max($0, edit.timeOfAuthority(at: target, in: intake.former)) }
        intake.isTimeUnknown = isUnsaid
        edit.stamping(at: time) { edit in
          edit.takeIn(value, base: base(name), at: target, &intake)
        }
      }
      return intake.changed
    }
  }

  /// What taking in a record needs and finds.
  struct Intake {
    /// The replica for which the delegate writes.
    let own: ReplicaID
    /// The table before the record or an object was made, if the authority saw something
    /// of a former one.
    var former: DotTable<Document.RowKey, Document.RowPayload>?
    /// The editor's time.
    let now: UInt64
    /// The texts that the authority has shown before.
    let shown: [FieldPath: String]
    /// Whether the authority doesn't say when it wrote the field.
    var isTimeUnknown = false
    /// The paths of the written fields.
    var changed: [FieldPath] = []
  }

  /// The dots of the seen rows with a key that making the record, or an object, ended.
  private func lostDots(of key: Document.RowKey, _ intake: Intake) -> ContiguousArray<Dot> {
    guard let former = intake.former else { return [] }
    var dots = seen(former.dots(of: key))
    dots.removeAll { table.row(at: $0) != nil }
    return dots
  }

  func isLost(_ key: Document.RowKey, _ intake: Intake) -> Bool {
    !lostDots(of: key, intake).isEmpty
  }

  /// The rows of a field that were lost in this way.
  private func lostRows(of target: Target, _ intake: Intake) -> Document.FieldRows {
    guard let former = intake.former else { return Document.FieldRows() }
    return Document.FieldRows(lostDots(of: target.key, intake), of: former)
  }

  /// Whether a set was lost, or elements of one, in a field without a rule.
  private func wasSet(_ target: Target, _ base: Document.Value?, _ intake: Intake) -> Bool {
    guard target.isOpen, intake.former != nil else { return false }
    if lostRows(of: target, intake).hasSet { return true }
    guard case .array(let elements)? = base else { return false }
    let place = target.beneath
    return elements.contains { isLost(Document.RowKey(place, .element($0)), intake) }
  }

  mutating func takeIn(
    _ value: Document.Value, base: Document.Value?, at target: Target, _ intake: inout Intake
  ) {
    let before = table.eventCount
    var rule = target.rule
    switch value {
    case .array:
      let reading = readingRule(of: target)
      if reading == .list || reading == .set {
        rule = reading
      } else if wasSet(target, base, intake) {
        rule = .set
      }
    case .string where readsAsText(target): rule = .text
    default: break
    }
    switch (value, base ?? .null, rule) {
    case (.object(let fields), let old, _):
      return takeInObject(fields, base: old, at: target, &intake)
    case (.array(let elements), .array(let old), .set):
      guard takeIn(elements, base: old, at: target, intake) else { return }
    case (.array(let elements), .null, .set):
      _ = openSet(target)
      takeIn(elements, base: [], at: target, intake)
    case (.array(let elements), let old, .list):
      takeIn(elements, base: old, ofListAt: target, &intake)
    case (.string(let string), .string(let old), .text)
    where string != old && !isLost(target.key, intake):
      takeIn(string, base: old, ofTextAt: target, intake)
    case (.int(let number), let old, .counter):
      takeInCount(number, base: old, at: target, intake)
    case (value, let old, _) where value == old:
      if isLost(target.key, intake) { assign(value, to: target, intake) }
      let isWritten = table.eventCount != before
      confirm(value, at: target, intake)
      guard isWritten else { return }
    default:
      assign(value, to: target, intake)
    }
    if table.eventCount != before { intake.changed.append(target.path) }
  }

  private mutating func takeInObject(
    _ fields: [String: Document.Value], base: Document.Value, at target: Target,
    _ intake: inout Intake
  ) {
    var old: [String: Document.Value] = [:]
    if case .object(let fields) = base { old = fields }
    let isLost = isLost(target.key, intake)
    if base != .object(fields) || isLost {
      let shown = rows(of: target).shown(under: target.rule)
      if case .object? = shown {
        // Its other fields are as the authority knows them.
      } else {
        if let shown, !target.rule.admits(.object([:]), over: shown.compared) { return }
        // If the object was lost, each field shows itself whether it was lost with it.
        // Otherwise all is written but counts, of which others may have a part.
        if !isLost {
          if !old.isEmpty, intake.former == nil { intake.former = table }
          old = counts(in: old, beneath: target)
        }
        _ = openObject(at: target, isAlone: true)
        intake.changed.append(target.path)
      }
    }
    takeIn(fields, base: old, at: target, &intake)
  }

  /// The numbers in an object whose counters show something, also in objects within.
  private func counts(
    in fields: [String: Document.Value], beneath target: Target
  ) -> [String: Document.Value] {
    let place = target.beneath
    return fields.reduce(into: [:]) { counts, field in
      let inner = target.field(field.key, in: place)
      switch field.value {
      case .int where inner.rule == .counter:
        let rows = Document.FieldRows(table.dots(of: inner.key), of: table)
        if rows.number != nil { counts[field.key] = field.value }
      case .object(let fields):
        let within = self.counts(in: fields, beneath: inner)
        if !within.isEmpty { counts[field.key] = .object(within) }
      default: break
      }
    }
  }

  /// Applies the fields of a value that is an object already.
  private mutating func takeIn(
    _ fields: [String: Document.Value], base: [String: Document.Value], at target: Target,
    _ intake: inout Intake
  ) {
    let place = target.beneath
    let gone = base.keys.filter { fields.index(forKey: $0) == nil }
    for name in (fields.keys + gone).sorted(by: { $0.comes(before: $1) }) {
      let field = target.field(name, in: place)
      if let value = fields[name] {
        takeIn(value, base: base[name], at: field, &intake)
      } else if clear(field) {
        intake.changed.append(field.path)
      }
    }
  }

  /// Applies the elements of a set, and returns whether the set changed.
  @discardableResult
  private mutating func takeIn(
    _ elements: [Document.Value], base: [Document.Value], at target: Target, _ intake: Intake
  ) -> Bool {
    let place = target.beneath
    let has = Set(elements)
    let known = Set(base)
    var had = known
    if intake.former != nil {
      // Elements that were written as a plain array have no rows of their own.
      for candidate in lostRows(of: target, intake).candidates {
        if case .array(let elements)? = candidate.content.value { had.subtract(elements) }
      }
      for element in base where isLost(Document.RowKey(place, .element(element)), intake) {
        had.remove(element)
      }
    }
    let before = table.eventCount
    if had != has || isLost(target.key, intake) { _ = openSet(target) }
    for element in base where !has.contains(element) {
      removeAll(of: Document.RowKey(place, .element(element)))
    }
    for element in elements where !had.contains(element) {
      let key = Document.RowKey(place, .element(element))
      if dots(of: key).isEmpty { writeMember(key) }
    }
    let isChanged = table.eventCount != before
    for element in elements where known.contains(element) {
      let key = Document.RowKey(place, .element(element))
      let theirs = unseenDots(of: key, besides: intake.own)
      if theirs.isEmpty { continue }
      table.write(row(key, .member), by: replica, killing: dots(of: key) + theirs)
    }
    return isChanged
  }

  /// Adds the difference of an authority's number and another to the number from which a
  /// counter continues.
  private mutating func takeInCount(
    _ number: Int64, base: Document.Value, at target: Target, _ intake: Intake
  ) {
    let dots = table.dotsForChange(of: target.key)
    let rows = Document.FieldRows(dots, of: table)
    var difference = Int128(number)
    if case .int(let old) = base { difference -= Int128(old) }
    if let former = intake.former, case .int = base {
      let before = Document.FieldRows(former.dots(of: target.key), of: former)
      difference += Int128(before.number ?? 0) - Int128(rows.number ?? 0)
    }
    if difference == 0, case .int = base, !isLost(target.key, intake) { return }
    // If the sum is out of bounds, this is the nearest number.
    let start = Int64(clamping: Int128(rows.base) + difference)
    let replaced = rows.candidates.filter { sees($0.dot) }
    removeTexts(among: ContiguousArray(replaced.map(\.dot)))
    table.write(
      row(target.key, .value(.int(start))), by: replica, killing: replaced.map(\.dot))
    if replaced.contains(where: { $0.isSet || $0.isObject }) { clear(dotsWithin(target.beneath)) }
  }

  /// Makes equal values of other replicas, which the authority has not seen, the
  /// authority's own.
  ///
  /// This happens only if the field continues to show the same value.
  private mutating func confirm(_ value: Document.Value, at target: Target, _ intake: Intake) {
    if target.rule == .counter || target.rule == .set || readsAsText(target) { return }
    // The index shows fastest whether there is anything to confirm.
    if unseenDots(of: target.key, besides: intake.own).isEmpty { return }
    let rows = allRows(of: target)
    let same = rows.candidates.filter {
      !sees($0.dot) && $0.dot.replica != intake.own && $0.content.value == value
    }
    if same.isEmpty || rows.counter != nil { return }
    let replaced = Set(same.map(\.dot) + dots(of: target.key))
    // A later time would let it win over writes that came after it and aren't here yet.
    stamping(asOf: intake.isTimeUnknown ? latestTime(of: replaced) : nil, intake) { edit in
      var left = rows.candidates.filter { !replaced.contains($0.dot) }.map(\.alternative)
      left.append(Document.Alternative(value, at: edit.timestamp))
      guard
        target.rule.winner(among: left)?.value
          == rows.winner(under: target.rule)?.alternative.value
      else { return }
      edit.table.write(
        edit.row(target.key, .value(value)), by: edit.replica, killing: replaced.sorted())
    }
  }

  private mutating func assign(_ value: Document.Value, to target: Target, _ intake: Intake) {
    stamping(asOf: age(of: value, at: target, intake), intake) {
      _ = $0.assign(value, to: target, isForced: false)
    }
  }

  /// Makes changes as of a time of rows here; as of the time that is set if there is none.
  private mutating func stamping(
    asOf time: UInt64?, _ intake: Intake, _ body: (inout Document.Editor) -> Void
  ) {
    let outer = timestamp
    if let time {
      timestamp = HybridTimestamp(time: min(time, intake.now), replica: outer.replica)
    }
    body(&self)
    timestamp = outer
  }

  private func latestTime(of dots: some Sequence<Dot>) -> UInt64? {
    dots.compactMap { table.row(at: $0)?.payload.time }.max()
  }

  /// The age of a value of unknown time that others wrote as well: their latest time.
  ///
  /// `nil` if what it replaces is later, so that it is another write.
  private mutating func age(
    of value: Document.Value, at target: Target, _ intake: Intake
  ) -> UInt64? {
    guard intake.isTimeUnknown else { return nil }
    let same = unseenDots(of: target.key, besides: intake.own).filter {
      table.row(at: $0)?.payload.content.value == value
    }
    guard let time = latestTime(of: same) else { return nil }
    let replaced = latestTime(of: dots(of: target.key) + dotsWithin(target.beneath))
    let lost = lostDots(of: target.key, intake)
      .compactMap { intake.former?.row(at: $0)?.payload.time }.max()
    return max(replaced ?? 0, lost ?? 0) > time ? nil : time
  }

  /// The dots of the rows with a key that are unseen and were not written by one replica.
  mutating func unseenDots(
    of key: Document.RowKey, besides own: ReplicaID
  ) -> ContiguousArray<Dot> {
    table.dotsForChange(of: key).filter { $0.replica != own && !sees($0) }
  }
}
