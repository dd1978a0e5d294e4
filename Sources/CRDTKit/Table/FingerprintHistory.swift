/// The fingerprints that a replica's events had come to at some recent counters.
///
/// It shows a fork to whoever hears of fewer events than it has seen itself. Like
/// the kill log it is no part of the state: what is forgotten is not compared.
@frozen
@usableFromInline
package struct FingerprintHistory: Sendable {
  @frozen
  @usableFromInline
  struct Mark: Sendable {
    @usableFromInline let counter: UInt64
    @usableFromInline let fingerprint: UInt32

    @inlinable
    init(counter: UInt64, fingerprint: UInt32) {
      self.counter = counter
      self.fingerprint = fingerprint
    }
  }

  /// How many marks are kept at least, and half of how many at most.
  @inlinable
  static var kept: Int { 64 }

  /// In ascending order of their counters.
  @usableFromInline var marks: ContiguousArray<Mark> = []

  @inlinable
  init() {}

  /// Notes the fingerprint at a counter above all before.
  @inlinable
  mutating func append(_ fingerprint: UInt32, at counter: UInt64) {
    if marks.count == 2 * FingerprintHistory.kept {
      marks.removeFirst(FingerprintHistory.kept)
    }
    marks.append(Mark(counter: counter, fingerprint: fingerprint))
  }

  /// Notes what another history has above all here.
  @inlinable
  mutating func extend(with other: FingerprintHistory) {
    let last = marks.last?.counter ?? 0
    // Mostly few of many are new.
    var place = other.marks.count
    while place > 0, other.marks[place &- 1].counter > last { place &-= 1 }
    for mark in other.marks[place...] { append(mark.fingerprint, at: mark.counter) }
  }

  /// The fingerprint at a counter, if it is remembered.
  @inlinable
  func fingerprint(at counter: UInt64) -> UInt32? {
    let place = place(of: counter)
    return place < marks.count && marks[place].counter == counter
      ? marks[place].fingerprint : nil
  }

  /// What is remembered from a counter on.
  ///
  /// It is a copy: whoever shared the marks would have them copied, all of them, when
  /// the next is noted.
  @inlinable
  func part(from counter: UInt64) -> FingerprintHistory {
    var part = FingerprintHistory()
    part.marks = ContiguousArray(marks[place(of: counter)...])
    return part
  }

  /// The place of the first mark that is not below a counter.
  @inlinable
  func place(of counter: UInt64) -> Int {
    var low = 0
    var high = marks.count
    while low < high {
      let middle = (low &+ high) / 2
      if marks[middle].counter < counter { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
