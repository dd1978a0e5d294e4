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
