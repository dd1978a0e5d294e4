/// What a replica's counter had come to when each of the last stretches of its events
/// first counted.
///
/// It tells what two lines of events that have parted had both counted: what there was
/// before the first stretch that only one of them has. The stretches are those of the
/// replica's events, see ``Stretches``, and their numbers ascend; an earlier one can be
/// of an earlier life.
@frozen
@usableFromInline
struct CounterSpans: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  /// A stretch that has counted.
  @frozen
  @usableFromInline
  struct Span: Hashable, Sendable {
    /// The number of the stretch.
    @usableFromInline let number: UInt64
    /// The life of the counter before it first counted.
    @usableFromInline let life: UInt64
    /// What the replica had counted in that life.
    @usableFromInline let before: Total

    @inlinable
    init(number: UInt64, life: UInt64, before: Total) {
      self.number = number
      self.life = life
      self.before = before
    }
  }

  /// The stretches in ascending order.
  @usableFromInline private(set) var list: ContiguousArray<Span>

  @inlinable
  init() {
    list = []
  }

  init(_ list: some Sequence<Span>) {
    self.list = ContiguousArray(list)
  }

  /// How many are kept: of what was counted up to one opening less after a parting, it is
  /// known what each line counted.
  static var kept: Int { 64 }

  @inlinable
  var isEmpty: Bool { list.isEmpty }

  /// Notes what there is before a count in a stretch, unless one in it was noted.
  @usableFromInline
  mutating func note(_ number: UInt64, life: UInt64, before: Total) {
    guard number > list.last?.number ?? 0 else { return }
    list.append(Span(number: number, life: life, before: before))
    if list.count > Self.kept { list.removeFirst(list.count - Self.kept) }
  }

  /// The spans of which the last is of the later stretch; of two lists with the same
  /// last stretch the longer one.
  ///
  /// Of two totals of one line of events, these are the spans of the greater.
  @usableFromInline
  func joined(with other: CounterSpans) -> CounterSpans {
    precedes(other) ? other : self
  }

  /// A total order: whatever a hostile peer makes up, the greatest is one of them.
  private func precedes(_ other: CounterSpans) -> Bool {
    let (own, others) = (list.last?.number ?? 0, other.list.last?.number ?? 0)
    if own != others { return own < others }
    if list.count != other.list.count { return list.count < other.list.count }
    return list.lexicographicallyPrecedes(other.list) { $0.numbers < $1.numbers }
  }
}

extension CounterSpans.Span {
  fileprivate var numbers: (UInt64, UInt64, UInt64, UInt64) {
    (number, life, before.increments, before.decrements)
  }
}

extension CounterSpans {
  /// Writes how many there are, and of each how much its number and life are greater
  /// than those before; then the totals, less those before where the life is the same.
  @usableFromInline
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(list.count))
    var last = Span(number: 0, life: 0, before: .zero)
    for span in list {
      writer.write(varint: span.number - last.number)
      writer.write(varint: span.life - last.life)
      let isSameLife = span.life == last.life
      (isSameLife ? span.before.subtracting(last.before) : span.before).encode(to: &writer)
      last = span
    }
  }

  /// Reads the spans of a total of a life.
  @usableFromInline
  init(
    from reader: inout ByteReader, of total: Total, life: UInt64
  ) throws(DecodingFailure) {
    self.init()
    let start = reader.offset
    let count = try reader.readVarint()
    guard count <= UInt64(Self.kept) else {
      throw DecodingFailure(.outOfBounds("the number of a counter's stretches"), at: start)
    }
    var last = Span(number: 0, life: 0, before: .zero)
    try reader.makeRoom(for: Int(count), in: &list)
    for _ in 0..<count {
      last = try Self.readSpan(from: &reader, after: last, of: total, life: life)
      list.append(last)
    }
  }

  private static func readSpan(
    from reader: inout ByteReader, after last: Span, of total: Total, life: UInt64
  ) throws(DecodingFailure) -> Span {
    let start = reader.offset
    let distance = try reader.readVarint()
    guard distance > 0, distance <= Dot.counterMax - last.number else {
      throw DecodingFailure(.outOfBounds("the number of a stretch"), at: start)
    }
    let later = try reader.readVarint()
    guard later <= life - last.life else {
      throw DecodingFailure(.outOfBounds("a counter's life"), at: start)
    }
    let more = try Total(from: &reader)
    let base = later == 0 ? last.before : .zero
    let (up, overflowsUp) = base.increments.addingReportingOverflow(more.increments)
    let (down, overflowsDown) = base.decrements.addingReportingOverflow(more.decrements)
    let isOfEarlierLife = last.life + later < life
    guard !overflowsUp, !overflowsDown,
      isOfEarlierLife || up <= total.increments && down <= total.decrements
    else { throw DecodingFailure(.outOfBounds("what a counter had come to"), at: start) }
    return Span(
      number: last.number + distance, life: last.life + later,
      before: Total(increments: up, decrements: down))
  }
}

/// What one replica has counted in the last life of its counter.
@frozen
@usableFromInline
struct CounterTally: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @usableFromInline var total: Total
  @usableFromInline var life: UInt64
  /// What there was before each of the last stretches; none where the replica's events
  /// are in no stretch.
  @usableFromInline var spans: CounterSpans

  @inlinable
  init(_ total: Total = .zero, life: UInt64 = 0, spans: CounterSpans = CounterSpans()) {
    self.total = total
    self.life = life
    self.spans = spans
  }

  /// The one of the later life; of the same life the greater of each number.
  @usableFromInline
  func joined(with other: CounterTally) -> CounterTally {
    if life != other.life { return life < other.life ? other : self }
    return CounterTally(
      total.joined(with: other.total), life: life, spans: spans.joined(with: other.spans))
  }

  /// What there was before a stretch, and what was counted from there on; `nil` where
  /// nothing tells that the stretch or one after it has counted.
  func parted(at stretch: UInt64?) -> (before: CounterTally, after: CounterTally)? {
    guard let stretch, stretch > 0,
      let place = spans.list.firstIndex(where: { $0.number >= stretch })
    else { return nil }
    let parting = spans.list[place]
    let left = { (total: Total, life: UInt64) in
      life == parting.life ? total.subtracting(parting.before) : total
    }
    let after = spans.list[place...].map { span in
      CounterSpans.Span(
        number: span.number, life: span.life, before: left(span.before, span.life))
    }
    return (
      before(spans.list[...place]),
      CounterTally(left(total, life), life: life, spans: CounterSpans(after))
    )
  }

  /// What there was before the last of some stretches.
  ///
  /// Where nothing had been counted in that life yet, it is what there was before the
  /// stretch before: a total of zero is not kept.
  private func before(_ list: ArraySlice<CounterSpans.Span>) -> CounterTally {
    var list = list
    while let last = list.popLast() {
      if last.before != .zero {
        return CounterTally(last.before, life: last.life, spans: CounterSpans(list))
      }
    }
    return CounterTally()
  }
}
