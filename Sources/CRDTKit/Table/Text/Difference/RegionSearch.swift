/// The search for edits: by scalars where few differ, else by lines, then by words.
///
/// Each pass takes a list of regions that differ and returns a finer list. A region in which the
/// search by scalars gave up is divided by the lines, and then the words, that both texts share.
/// What stays open in the end is replaced as a whole. Each pass takes a bounded number of steps
/// for each byte, and all passes together a common reserve.
struct RegionSearch {
  /// A range of the old text that is replaced by a range of the new one.
  struct Region {
    enum State {
      case untried
      /// The search by scalars gave up.
      case open
      case settled
    }

    var old: Range<Int32>
    var new: Range<Int32>
    var state: State

    var isEmptyOnOneSide: Bool { old.isEmpty || new.isEmpty }
    var byteCount: Int { old.count + new.count }
  }

  let old: UnsafeBufferPointer<UInt8>
  let new: UnsafeBufferPointer<UInt8>
  /// What differs, in ascending order.
  var regions: [Region] = []
  private var path = ShortestPath()
  private var oldScalars: [UInt32] = []
  private var newScalars: [UInt32] = []
  /// The steps that searches may take beyond their share.
  private var reserve = 1_000_000
  private var tokenSteps = 0

  init(old: UnsafeBufferPointer<UInt8>, new: UnsafeBufferPointer<UInt8>) {
    self.old = old
    self.new = new
  }

  var steps: Int { path.steps + tokenSteps }

  /// The regions as edits.
  var edits: [TextDifference.Edit] {
    regions.map { region in
      TextDifference.Edit(
        removed: Int(region.old.lowerBound)..<Int(region.old.upperBound),
        inserted: Int(region.new.lowerBound)..<Int(region.new.upperBound))
    }
  }

  mutating func run(in middle: TextDifference.Edit) {
    let old = Int32(middle.removed.lowerBound)..<Int32(middle.removed.upperBound)
    let new = Int32(middle.inserted.lowerBound)..<Int32(middle.inserted.upperBound)
    let whole = Region(old: old, new: new, state: .untried)
    regions = [whole]
    compareScalars(stepsPerByte: 4)
    compareTokens(.line, stepsPerByte: 2)
    compareScalars(stepsPerByte: 4)
    compareTokens(.word, stepsPerByte: 2)
    compareScalars(stepsPerByte: 8)
  }

  /// Searches all untried regions scalar by scalar; marks those open where that takes too long.
  private mutating func compareScalars(stepsPerByte: Int) {
    guard regions.contains(where: { $0.state == .untried }) else { return }
    let pending = regions
    regions = []
    regions.reserveCapacity(pending.count)
    for region in pending {
      guard region.state == .untried, !region.isEmptyOnOneSide else {
        add(region)
        continue
      }
      let share = stepsPerByte * region.byteCount
      let extra = reserve / 4
      // Both searches visit one diagonal more in each round, so the first box takes the square
      // of its rounds.
      let rounds = (share + extra).squareRootRoundedDown
      let limits = ShortestPath.Limits(
        rounds: rounds, roundsAfterCut: nil, steps: 3 * (share + extra))
      let before = path.steps
      compare(region, limits: limits)
      reserve = max(0, reserve - max(0, path.steps - before - share))
    }
    oldScalars = []
    newScalars = []
  }

  private mutating func compare(_ region: Region, limits: ShortestPath.Limits) {
    let oldBytes = slice(of: old, region.old)
    let newBytes = slice(of: new, region.new)
    if oldBytes.isASCII, newBytes.isASCII {
      path.compare(oldBytes, newBytes, limits: limits)
      let oldBase = region.old.lowerBound
      let newBase = region.new.lowerBound
      for gap in path.gaps {
        add(
          Region(
            old: (gap.old.lowerBound + oldBase)..<(gap.old.upperBound + oldBase),
            new: (gap.new.lowerBound + newBase)..<(gap.new.upperBound + newBase),
            state: gap.isSettled ? .settled : .open))
      }
      return
    }
    PackedScalars.pack(oldBytes, into: &oldScalars)
    PackedScalars.pack(newBytes, into: &newScalars)
    path.compare(oldScalars, newScalars, limits: limits)
    var oldOffsets = PackedScalars.Offsets(start: region.old.lowerBound)
    var newOffsets = PackedScalars.Offsets(start: region.new.lowerBound)
    for gap in path.gaps {
      add(
        Region(
          old: oldOffsets.range(of: gap.old, in: oldScalars),
          new: newOffsets.range(of: gap.new, in: newScalars),
          state: gap.isSettled ? .settled : .open))
    }
  }

  /// Divides all open regions at the tokens that their two texts share.
  private mutating func compareTokens(_ kind: TokenKind, stepsPerByte: Int) {
    guard regions.contains(where: { $0.state == .open }) else { return }
    let pending = regions
    regions = []
    regions.reserveCapacity(pending.count)
    for region in pending {
      guard region.state == .open else {
        add(region)
        continue
      }
      tokenSteps += region.byteCount / 8
      let tokens = SharedTokens(
        kind, slice(of: old, region.old), slice(of: new, region.new))
      guard let tokens, !tokens.old.isEmpty, !tokens.new.isEmpty else {
        add(region)
        continue
      }
      let share = stepsPerByte * region.byteCount
      let extra = reserve / 4
      let before = path.steps
      let limits = ShortestPath.Limits(
        rounds: (share + extra).squareRootRoundedDown,
        roundsAfterCut: max(8, share / (tokens.old.count + tokens.new.count)),
        steps: 4 * (share + extra))
      path.compare(tokens.old.numbers, tokens.new.numbers, limits: limits)
      reserve = max(0, reserve - max(0, path.steps - before - share))
      divide(region, at: tokens)
    }
  }

  /// Adds the parts of a region that lie between its shared tokens.
  private mutating func divide(_ region: Region, at tokens: SharedTokens) {
    var oldStart = region.old.lowerBound
    var newStart = region.new.lowerBound
    /// Ends a part where `count` shared tokens begin, and skips them.
    func keep(_ count: Int32, from oldIndex: Int32, _ newIndex: Int32, of search: inout Self) {
      for step in 0..<count {
        let oldToken = tokens.old.range(Int(oldIndex + step))
        let newToken = tokens.new.range(Int(newIndex + step))
        search.addPart(
          of: region, old: oldStart..<(region.old.lowerBound + oldToken.lowerBound),
          new: newStart..<(region.new.lowerBound + newToken.lowerBound))
        oldStart = region.old.lowerBound + oldToken.upperBound
        newStart = region.new.lowerBound + newToken.upperBound
      }
    }
    var oldIndex: Int32 = 0
    var newIndex: Int32 = 0
    for gap in path.gaps {
      keep(gap.old.lowerBound - oldIndex, from: oldIndex, newIndex, of: &self)
      oldIndex = gap.old.upperBound
      newIndex = gap.new.upperBound
    }
    keep(Int32(tokens.old.count) - oldIndex, from: oldIndex, newIndex, of: &self)
    addPart(
      of: region, old: oldStart..<region.old.upperBound, new: newStart..<region.new.upperBound)
  }

  private mutating func addPart(of region: Region, old: Range<Int32>, new: Range<Int32>) {
    guard !old.isEmpty || !new.isEmpty else { return }
    let isWhole = old == region.old && new == region.new
    add(Region(old: old, new: new, state: isWhole ? .open : .untried))
  }

  /// Adds a region, as a part of the last one if they touch.
  private mutating func add(_ region: Region) {
    if let last = regions.last, last.old.upperBound == region.old.lowerBound,
      last.new.upperBound == region.new.lowerBound
    {
      let state: Region.State = last.state == region.state ? last.state : .untried
      regions[regions.count - 1] = Region(
        old: last.old.lowerBound..<region.old.upperBound,
        new: last.new.lowerBound..<region.new.upperBound, state: state)
    } else {
      regions.append(region)
    }
  }

  private func slice(
    of text: UnsafeBufferPointer<UInt8>, _ range: Range<Int32>
  ) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: text[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}

extension Int {
  /// The greatest number whose square is no more than this one, which isn't negative.
  fileprivate var squareRootRoundedDown: Int {
    var root = 0
    var bit = 1 << 30
    while bit > 0 {
      if (root | bit) * (root | bit) <= self { root |= bit }
      bit >>= 1
    }
    return root
  }
}
