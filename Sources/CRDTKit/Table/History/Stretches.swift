/// The stretches in which a replica's events were made, each with a random number.
///
/// A place that may be a copy of another, such as a store whose folder was restored from
/// a backup, begins a stretch with its first event. The event records that, together with
/// the random number. So two lines of events that continue from the same event have
/// different stretches from there on, and can be told apart however many events each has
/// made since.
///
/// The last 512 multiples of each power of two are kept, by the stretch's number; compare
/// ``FingerprintHistory``.
@frozen
@usableFromInline
package struct Stretches: Hashable, Sendable {
  /// One stretch.
  @frozen
  @usableFromInline
  package struct Stretch: Hashable, Sendable {
    /// The counter of its first event.
    @usableFromInline package let first: UInt64
    /// The random number.
    @usableFromInline package let nonce: UInt32
    /// The fingerprint of the events before it: a mark that both lines have, if they part
    /// here.
    @usableFromInline package let before: UInt32
    /// The number of this stretch, counted from 1.
    @usableFromInline package let number: UInt64

    @inlinable
    package init(first: UInt64, nonce: UInt32, before: UInt32, number: UInt64) {
      self.first = first
      self.nonce = nonce
      self.before = before
      self.number = number
    }
  }

  /// The data that identifies a stretch, independently of its replica's name.
  struct Name: Hashable {
    let nonce: UInt32
    let before: UInt32
  }

  /// The number of stretches so far.
  @usableFromInline package var count: UInt64 = 0
  /// The stretches that are kept, in order.
  @usableFromInline package var kept: ContiguousArray<Stretch> = []
  /// The event from which on the stretches are known here; in a delta, its base.
  @usableFromInline var floor: UInt64 = 0

  @inlinable
  package init() {}

  /// The number of multiples of each power of two that are kept.
  @inlinable
  static var kept: UInt64 { 512 }

  @inlinable
  var isEmpty: Bool { count == 0 }
}

extension Stretches.Stretch {
  var name: Stretches.Name { Stretches.Name(nonce: nonce, before: before) }
}

extension Stretches {
  /// Begins a stretch at an event, which must come after all before.
  @usableFromInline
  mutating func begin(at counter: UInt64, nonce: UInt32, after fingerprint: UInt32) {
    count += 1
    kept.append(Stretch(first: counter, nonce: nonce, before: fingerprint, number: count))
    if kept.count > 2 * Int(Self.kept) { trim() }
  }

  /// Adds the stretches of a copy that has seen more of the same events.
  @usableFromInline
  mutating func extend(with other: Stretches) {
    guard other.count > count else { return }
    for stretch in other.kept where stretch.number > count { kept.append(stretch) }
    count = other.count
    trim()
  }

  /// Drops the stretches that are no longer kept.
  private mutating func trim() {
    let end = count + 1
    kept.removeAll {
      !FingerprintHistory.keeps($0.number, before: end, each: Self.kept)
    }
  }

  @usableFromInline
  func isKept(_ number: UInt64) -> Bool {
    FingerprintHistory.keeps(number, before: count + 1, each: Self.kept)
  }

  /// Returns the stretch that an event belongs to, or the last kept one before it.
  @usableFromInline
  package func last(upTo counter: UInt64) -> Stretch? {
    let next = kept.indices.partitioningIndex { kept[$0].first > counter }
    return next > 0 ? kept[next - 1] : nil
  }

  /// Returns the random number of the stretch that begins with an event; `nil` if none
  /// does.
  @inlinable
  func nonce(at counter: UInt64) -> UInt32? {
    guard count > 0, let stretch = last(upTo: counter), stretch.first == counter else {
      return nil
    }
    return stretch.nonce
  }

  /// Returns the stretches after an event, and the one that it belongs to.
  @usableFromInline
  func part(after base: UInt64) -> Stretches {
    var part = self
    if kept.count > Int(Self.kept) { part.trim() }
    part.floor = base
    if base > 0, let last = part.last(upTo: base) {
      part.kept.removeAll { $0.number < last.number }
    }
    return part
  }

  /// Returns whether another list belongs to other events; both have seen those up to
  /// `counter`.
  ///
  /// An empty list shows nothing: it may come from a delta, which lists only the
  /// stretches that begin in it.
  @usableFromInline
  borrowing func contradict(_ other: borrowing Stretches, upTo counter: UInt64) -> Bool {
    guard !isEmpty, !other.isEmpty, counter >= Swift.max(floor, other.floor) else {
      return false
    }
    let mine = last(upTo: counter)
    let theirs = other.last(upTo: counter)
    let (low, high) = (mine?.number ?? 0, theirs?.number ?? 0)
    if low == high { return mine != theirs }
    // One side lacks a stretch that it would have kept.
    return low < high
      ? high > count || isKept(high) : low > other.count || other.isKept(low)
  }
}

extension Stretches {
  /// Encodes the number of stretches, then each kept one: its distance from the one
  /// before, its random number, and the fingerprint of the events before it.
  @usableFromInline
  func encode(to writer: inout ByteWriter) {
    writer.write(varint: count)
    let kept = kept.filter { isKept($0.number) }
    writer.write(varint: UInt64(kept.count))
    var previous: UInt64 = 0
    for stretch in kept {
      writer.write(varint: stretch.first - previous)
      writer.write(fixed: stretch.nonce)
      writer.write(fixed: stretch.before)
      previous = stretch.first
    }
  }

  /// Decodes stretches that begin no later than an event: those after a base, and the
  /// last one before it.
  @usableFromInline
  init(
    from reader: inout ByteReader, after base: UInt64, upTo seen: UInt64
  ) throws(DecodingFailure) {
    let start = reader.offset
    floor = base
    count = try reader.readVarint()
    let given = try reader.readCount(of: "stretches")
    guard count <= seen, given > 0 || count == 0 else {
      throw DecodingFailure(.outOfBounds("the number of stretches"), at: start)
    }
    var numbers: ContiguousArray<UInt64> = []
    let first = FingerprintHistory.firstKept(of: given, before: count + 1, each: Self.kept)
    guard let first else {
      throw DecodingFailure(.outOfBounds("the number of stretches"), at: start)
    }
    FingerprintHistory.forEachKept(from: first, before: count + 1, each: Self.kept) {
      numbers.append($0)
    }
    var previous: UInt64 = 0
    for number in numbers {
      let place = reader.offset
      let distance = try reader.readVarint()
      guard distance > 0, distance <= seen - previous else {
        throw DecodingFailure(.outOfBounds("the beginning of a stretch"), at: place)
      }
      previous += distance
      kept.append(
        Stretch(
          first: previous, nonce: try reader.readFixed(UInt32.self),
          before: try reader.readFixed(UInt32.self), number: number))
    }
    let areAll =
      FingerprintHistory.firstKept(
        of: given + 1, before: count + 1, each: Self.kept) == nil
    let beforeBase = kept.prefix { $0.first <= base }.count
    guard beforeBase == 1 || beforeBase == 0 && areAll else {
      throw DecodingFailure(.notCanonical("the list of stretches"), at: start)
    }
  }
}

extension FingerprintHistory {
  /// Returns the first of the last `count` numbers that are kept before `end`; `nil` if
  /// there are fewer.
  static func firstKept(of count: Int, before end: UInt64, each kept: UInt64) -> UInt64? {
    guard count > 0 else { return end }
    var left = count
    var number = end
    while left > 0 {
      guard number > 1 else { return nil }
      number -= 1
      while number > 0, !keeps(number, before: end, each: kept) { number &= number - 1 }
      guard number > 0 else { return nil }
      left -= 1
    }
    return number
  }
}
