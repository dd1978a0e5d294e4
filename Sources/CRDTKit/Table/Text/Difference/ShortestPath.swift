/// A search for the fewest tokens to remove and insert, in linear space and bounded time.
///
/// It is Myers' search from both ends ("An O(ND) Difference Algorithm and Its Variations", 1986):
/// the two halves meet in the middle of a shortest path, and the boxes before and after the
/// meeting point are searched likewise. After a given number of rounds, or when it sees early that
/// these won't do, it gives up: it leaves the box open, or cuts it where the search came furthest
/// and goes on with fewer rounds.
struct ShortestPath {
  /// Tokens of the old sequence that are replaced by tokens of the new one.
  struct Gap {
    var old: Range<Int32>
    var new: Range<Int32>
    /// Whether the gap was reached by a search that did not give up.
    var isSettled: Bool
  }

  /// How far a search may go.
  struct Limits {
    /// The rounds from each end; a difference of twice as many tokens is found.
    var rounds: Int
    /// The rounds in what follows a box that was cut, or `nil` to leave the box open.
    var roundsAfterCut: Int?
    /// The steps after which boxes stay open.
    var steps: Int
  }

  private struct Box {
    var old: Range<Int>
    var new: Range<Int>
    var rounds: Int
  }

  private enum Meeting {
    case found(Int, Int)
    case gaveUp
    /// Cut here; true if what comes before is the part that was searched.
    case cut(Int, Int, searchedBefore: Bool)
  }

  /// What the last comparison found, in ascending order, no two touching.
  private(set) var gaps: [Gap] = []
  /// The diagonals visited and words compared so far.
  private(set) var steps = 0
  private var boxes: [Box] = []

  /// Compares two sequences and leaves the result in `gaps`.
  ///
  /// - Complexity: O(`limits.steps` + `old.count` + `new.count`) time, O(`limits.rounds`) space.
  mutating func compare<Token: FixedWidthInteger>(
    _ old: UnsafeBufferPointer<Token>, _ new: UnsafeBufferPointer<Token>, limits: Limits
  ) {
    gaps.removeAll(keepingCapacity: true)
    guard let oldTokens = old.baseAddress, let newTokens = new.baseAddress else {
      add(Box(old: 0..<old.count, new: 0..<new.count, rounds: 0), isSettled: true)
      return
    }
    let stepsMax = steps + limits.steps
    let rounds = min(
      max(limits.rounds, limits.roundsAfterCut ?? 0), (old.count + new.count) / 2 + 1)
    let width = 2 * rounds + 3
    boxes.append(Box(old: 0..<old.count, new: 0..<new.count, rounds: limits.rounds))
    withUnsafeTemporaryAllocation(of: Int32.self, capacity: 2 * width) { frontiers in
      // Not empty: `width` is at least 3.
      guard let frontier = frontiers.baseAddress else { return }
      while var box = boxes.popLast() {
        trim(&box, oldTokens, newTokens)
        guard !box.old.isEmpty, !box.new.isEmpty else {
          add(box, isSettled: true)
          continue
        }
        guard steps < stepsMax else {
          add(box, isSettled: false)
          continue
        }
        let meeting = meet(
          in: box, oldTokens, newTokens, stepsMax: stepsMax,
          cuts: limits.roundsAfterCut != nil, frontier, frontier + width)
        open(box, at: meeting, roundsAfterCut: limits.roundsAfterCut ?? 0)
      }
    }
  }

  private mutating func trim<Token: FixedWidthInteger>(
    _ box: inout Box, _ old: UnsafePointer<Token>, _ new: UnsafePointer<Token>
  ) {
    let prefix = (old + box.old.lowerBound).countEqual(
      to: new + box.new.lowerBound, limit: min(box.old.count, box.new.count))
    box.old = (box.old.lowerBound + prefix)..<box.old.upperBound
    box.new = (box.new.lowerBound + prefix)..<box.new.upperBound
    let suffix = (old + box.old.upperBound).countEqualBackward(
      to: new + box.new.upperBound, limit: min(box.old.count, box.new.count))
    box.old = box.old.lowerBound..<(box.old.upperBound - suffix)
    box.new = box.new.lowerBound..<(box.new.upperBound - suffix)
    steps += 1 + (prefix + suffix) / 8
  }

  /// Puts the two parts of a box on the stack, the first part on top, so gaps come in order.
  private mutating func open(_ box: Box, at meeting: Meeting, roundsAfterCut: Int) {
    var before = box
    var after = box
    switch meeting {
    case .gaveUp:
      add(box, isSettled: false)
      return
    case .found(let x, let y):
      before.old = box.old.lowerBound..<x
      before.new = box.new.lowerBound..<y
      after.old = x..<box.old.upperBound
      after.new = y..<box.new.upperBound
    case .cut(let x, let y, let searchedBefore):
      before.old = box.old.lowerBound..<x
      before.new = box.new.lowerBound..<y
      after.old = x..<box.old.upperBound
      after.new = y..<box.new.upperBound
      // The searched part is known to need no more rounds than were made.
      if searchedBefore { after.rounds = roundsAfterCut } else { before.rounds = roundsAfterCut }
    }
    boxes.append(after)
    boxes.append(before)
  }

  private mutating func add(_ box: Box, isSettled: Bool) {
    guard !box.old.isEmpty || !box.new.isEmpty else { return }
    let old = Int32(box.old.lowerBound)..<Int32(box.old.upperBound)
    let new = Int32(box.new.lowerBound)..<Int32(box.new.upperBound)
    if let last = gaps.last, last.old.upperBound == old.lowerBound,
      last.new.upperBound == new.lowerBound
    {
      gaps[gaps.count - 1] = Gap(
        old: last.old.lowerBound..<old.upperBound, new: last.new.lowerBound..<new.upperBound,
        isSettled: last.isSettled && isSettled)
    } else {
      gaps.append(Gap(old: old, new: new, isSettled: isSettled))
    }
  }

  /// Searches a box from both ends until the searches meet.
  ///
  /// A diagonal is numbered by its offset in the old sequence less that in the new. A frontier
  /// holds for each diagonal how far into the old sequence it was followed. Each frontier has
  /// room for the diagonals up to one more than the rounds to either side of its first.
  private mutating func meet<Token: FixedWidthInteger>(
    in box: Box, _ old: UnsafePointer<Token>, _ new: UnsafePointer<Token>, stepsMax: Int,
    cuts: Bool, _ forwardSpace: UnsafeMutablePointer<Int32>,
    _ backwardSpace: UnsafeMutablePointer<Int32>
  ) -> Meeting {
    let rounds = min(box.rounds, (box.old.count + box.new.count) / 2 + 1)
    let (oldStart, oldEnd) = (box.old.lowerBound, box.old.upperBound)
    let (newStart, newEnd) = (box.new.lowerBound, box.new.upperBound)
    let lowest = oldStart - newEnd
    let highest = oldEnd - newStart
    let first = oldStart - newStart
    let last = oldEnd - newEnd
    let isOdd = (first - last) & 1 != 0
    let forward = forwardSpace + (rounds + 1 - first)
    let backward = backwardSpace + (rounds + 1 - last)
    forward[first] = Int32(oldStart)
    backward[last] = Int32(oldEnd)
    var (forwardLow, forwardHigh) = (first, first)
    var (backwardLow, backwardHigh) = (last, last)
    var steps = self.steps
    defer { self.steps = steps }

    let firstForecast = min(max(16, rounds / 8), 256)
    for round in 1...max(1, rounds) {
      widen(&forwardLow, &forwardHigh, within: lowest, highest, forward, unreached: -1)
      var diagonal = forwardHigh
      while diagonal >= forwardLow {
        let fromLeft = Int(forward[diagonal - 1])
        let fromAbove = Int(forward[diagonal + 1])
        var x = max(fromLeft &+ 1, fromAbove)
        let y = x &- diagonal
        if x < oldEnd, y < newEnd, old[x] == new[y] {
          let run = (old + x).countEqual(to: new + y, limit: min(oldEnd - x, newEnd - y))
          x += run
          steps += run / 8
        }
        steps &+= 1
        forward[diagonal] = Int32(truncatingIfNeeded: x)
        if isOdd, diagonal >= backwardLow, diagonal <= backwardHigh, backward[diagonal] <= x {
          return .found(x, x - diagonal)
        }
        diagonal &-= 2
      }
      widen(&backwardLow, &backwardHigh, within: lowest, highest, backward, unreached: .max)
      diagonal = backwardHigh
      while diagonal >= backwardLow {
        let fromAbove = Int(backward[diagonal - 1])
        let fromRight = Int(backward[diagonal + 1])
        var x = min(fromAbove, fromRight &- 1)
        let y = x &- diagonal
        if x > oldStart, y > newStart, old[x - 1] == new[y - 1] {
          let run = (old + x).countEqualBackward(
            to: new + y, limit: min(x - oldStart, y - newStart))
          x -= run
          steps += run / 8
        }
        steps &+= 1
        backward[diagonal] = Int32(truncatingIfNeeded: x)
        if !isOdd, diagonal >= forwardLow, diagonal <= forwardHigh, x <= forward[diagonal] {
          return .found(x, x - diagonal)
        }
        diagonal &-= 2
      }
      if steps >= stepsMax { break }
      // Now and then, see whether the searches come far enough to meet. They always do where
      // the rounds suffice for two texts with nothing in common.
      guard round >= firstForecast, round.nonzeroBitCount == 1 else { continue }
      let ahead = furthest(in: box, forwardLow, forwardHigh, forward)
      let behind = nearest(in: box, backwardLow, backwardHigh, backward)
      let covered = ahead.sum - (oldStart + newStart) + oldEnd + newEnd - behind.sum
      if covered * rounds < (box.old.count + box.new.count) * 3 / 4 * round { break }
    }
    guard cuts else { return .gaveUp }
    let ahead = furthest(in: box, forwardLow, forwardHigh, forward)
    let behind = nearest(in: box, backwardLow, backwardHigh, backward)
    let isAhead = ahead.sum - (oldStart + newStart) >= oldEnd + newEnd - behind.sum
    return isAhead
      ? .cut(ahead.x, ahead.sum - ahead.x, searchedBefore: true)
      : .cut(behind.x, behind.sum - behind.x, searchedBefore: false)
  }

  /// Widens a frontier by one diagonal on each side, or narrows it at the edge of the box.
  @inline(__always)
  private func widen(
    _ low: inout Int, _ high: inout Int, within lowest: Int, _ highest: Int,
    _ frontier: UnsafeMutablePointer<Int32>, unreached: Int32
  ) {
    if low > lowest {
      low -= 1
      frontier[low - 1] = unreached
    } else {
      low += 1
    }
    if high < highest {
      high += 1
      frontier[high + 1] = unreached
    } else {
      high -= 1
    }
  }

  /// The point of a forward frontier that covers most of both sequences.
  private func furthest(
    in box: Box, _ low: Int, _ high: Int, _ frontier: UnsafeMutablePointer<Int32>
  ) -> (x: Int, sum: Int) {
    var best = (x: box.old.lowerBound, sum: box.old.lowerBound + box.new.lowerBound)
    for diagonal in stride(from: low, through: high, by: 2) {
      let x = min(Int(frontier[diagonal]), box.old.upperBound, box.new.upperBound + diagonal)
      if 2 * x - diagonal > best.sum { best = (x, 2 * x - diagonal) }
    }
    return best
  }

  /// The point of a backward frontier that covers most of both sequences.
  private func nearest(
    in box: Box, _ low: Int, _ high: Int, _ frontier: UnsafeMutablePointer<Int32>
  ) -> (x: Int, sum: Int) {
    var best = (x: box.old.upperBound, sum: box.old.upperBound + box.new.upperBound)
    for diagonal in stride(from: low, through: high, by: 2) {
      let x = max(Int(frontier[diagonal]), box.old.lowerBound, box.new.lowerBound + diagonal)
      if 2 * x - diagonal < best.sum { best = (x, 2 * x - diagonal) }
    }
    return best
  }
}
