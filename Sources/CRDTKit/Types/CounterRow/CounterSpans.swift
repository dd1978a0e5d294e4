/// The totals of a replica's counter at the first count of each of the last stretches of
/// its events.
///
/// They show the counts that two parted lines of events have in common: the totals before
/// the first stretch that only one line has. The stretches are those of the replica's
/// events, see ``Stretches``. Their numbers ascend; an earlier stretch can belong to an
/// earlier life.
@frozen
@usableFromInline
struct CounterSpans: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  /// A stretch in which the replica has counted.
  @frozen
  @usableFromInline
  struct Span: Hashable, Sendable {
    /// The number of the stretch.
    @usableFromInline let number: UInt64
    /// The life of the counter before the stretch's first count.
    @usableFromInline let life: UInt64
    /// The replica's totals in that life.
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

  /// The number of stretches that are kept.
  ///
  /// After a fork, the counts of each line are known as long as fewer stretches than that
  /// have begun since.
  static var kept: Int { 64 }

  @inlinable
  var isEmpty: Bool { list.isEmpty }

  /// Records the totals before a count in a stretch, unless the stretch is already
  /// recorded.
  @usableFromInline
  mutating func note(_ number: UInt64, life: UInt64, before: Total) {
    guard number > list.last?.number ?? 0 else { return }
    list.append(Span(number: number, life: life, before: before))
    if list.count > Self.kept { list.removeFirst(list.count - Self.kept) }
  }

  /// Returns the spans that end with the later stretch; of two lists with the same last
  /// stretch, the longer one.
  ///
  /// For two totals of one line of events, these are the spans of the greater total.
  @usableFromInline
  func joined(with other: CounterSpans) -> CounterSpans {
    precedes(other) ? other : self
  }

  /// A total order, so that even among lists from a hostile peer there is one greatest.
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
  /// Encodes the number of stretches.
  ///
  /// For each, it then encodes the differences of its number and life from those before,
  /// and its totals, as a difference if the life is the same.
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

  /// Decodes the spans of a total of the given life.
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

/// The counts of one replica in the last life of its counter.
@frozen
@usableFromInline
struct CounterTally: Hashable, Sendable {
  @usableFromInline typealias Total = PNCounter.Total

  @usableFromInline var total: Total
  @usableFromInline var life: UInt64
  /// The totals before each of the last stretches; empty if the replica's events are in
  /// no stretch.
  @usableFromInline var spans: CounterSpans

  @inlinable
  init(_ total: Total = .zero, life: UInt64 = 0, spans: CounterSpans = CounterSpans()) {
    self.total = total
    self.life = life
    self.spans = spans
  }

  /// Returns the tally with the later life; of the same life, the greater of each number.
  @usableFromInline
  func joined(with other: CounterTally) -> CounterTally {
    if life != other.life { return life < other.life ? other : self }
    return CounterTally(
      total.joined(with: other.total), life: life, spans: spans.joined(with: other.spans))
  }

  /// Returns the totals before a stretch and the counts from there on; `nil` if there is
  /// no record of a count in that stretch or a later one.
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

  /// Returns the totals before the last of the given stretches.
  ///
  /// If that life had no counts yet, it returns the totals before the previous stretch,
  /// because totals of zero are not kept.
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
