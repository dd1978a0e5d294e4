/// Edits that turn one UTF-8 text into another.
///
/// The texts are compared by their bytes, never by `Character ==`, because two spellings of one
/// character that are equal to a reader still differ in bytes. Applying the edits gives exactly
/// the new bytes.
///
///     // old: "one two", new: "one 2"
///     // edits: [Edit(removed: 4..<7, inserted: 4..<5)]
///
/// Small differences are found as few scalars as possible. Where the texts differ in more than a
/// bounded search can follow, whole lines or words are compared first, and a piece that stays too
/// unlike is replaced as a whole. Text that moved is removed and inserted again.
///
/// Every edit begins and ends between two scalars, and between two characters as well, except
/// within characters of hundreds of bytes.
package struct TextDifference: Sendable {
  /// One replaced range: the bytes of the old text that go, and the bytes of the new text that
  /// come in their place.
  package struct Edit: Equatable, Sendable {
    /// The offsets of the bytes that go, in the old text.
    package let removed: Range<Int>
    /// The offsets of the bytes that come in their place, in the new text.
    package let inserted: Range<Int>

    package init(removed: Range<Int>, inserted: Range<Int>) {
      self.removed = removed
      self.inserted = inserted
    }
  }

  /// The edits in ascending order.
  ///
  /// At least one byte is kept between two of them.
  package let edits: [Edit]

  /// How much work the search did, in comparisons; the same on every machine.
  package let steps: Int

  /// Finds the edits that turn `old` into `new`.
  ///
  /// - Parameters:
  ///   - old: The text as it is, in valid UTF-8.
  ///   - new: The text as it shall be, in valid UTF-8.
  ///   - isRounded: Whether edits are widened so that they cut no character.
  /// - Complexity: O(`old.count` + `new.count`), in time and memory. The search for few edits is
  ///   bounded by a multiple of the length.
  package init(
    from old: UnsafeBufferPointer<UInt8>, to new: UnsafeBufferPointer<UInt8>,
    isRounded: Bool = true
  ) {
    guard let middle = Self.middle(of: old, new) else {
      edits = []
      steps = 0
      return
    }
    guard max(old.count, new.count) < Int(Int32.max) else {
      edits = [middle]
      steps = 0
      return
    }
    var search = RegionSearch(old: old, new: new)
    search.run(in: middle)
    var placement = EditPlacement(old: old, new: new, edits: search.edits)
    search.regions = []
    placement.slide()
    if isRounded { placement.roundToCharacters() }
    edits = placement.edits
    steps = search.steps + placement.steps
  }

  /// Finds what lies between the common beginning and the common end; `nil` if that is nothing.
  private static func middle(
    of old: UnsafeBufferPointer<UInt8>, _ new: UnsafeBufferPointer<UInt8>
  ) -> Edit? {
    let shared = min(old.count, new.count)
    guard shared > 0, let oldStart = old.baseAddress, let newStart = new.baseAddress else {
      guard old.count != new.count else { return nil }
      return Edit(removed: 0..<old.count, inserted: 0..<new.count)
    }
    var prefix = oldStart.countEqual(to: newStart, limit: shared)
    guard prefix < old.count || prefix < new.count else { return nil }
    while prefix > 0, !old.isScalarBorder(prefix) || !new.isScalarBorder(prefix) { prefix -= 1 }
    var suffix = (oldStart + old.count).countEqualBackward(
      to: newStart + new.count, limit: shared - prefix)
    while suffix > 0, old[old.count - suffix].isContinuation { suffix -= 1 }
    return Edit(
      removed: prefix..<(old.count - suffix), inserted: prefix..<(new.count - suffix))
  }
}
