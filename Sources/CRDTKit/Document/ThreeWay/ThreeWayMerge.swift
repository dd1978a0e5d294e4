/// What came of merging two changed copies of a value with what both began as.
///
/// Objects are merged name by name, at every depth; all else is one value, which
/// - stays as one side changed it, or removed it, where the other did not;
/// - is as both changed it, where they changed it alike;
/// - falls to the field's rule, where they changed it to different values.
///
/// For that last case the rules mean:
///
/// | rule | the field holds |
/// |---|---|
/// | `max`, `min` | the greater, or the lesser, of both |
/// | `counter` | the base and both differences; equal differences count twice |
/// | `set` | an array: ours in its order without what they removed, then what they added; each element once |
/// | `lastWriterWins`, `firstWriterWins`, `authority`, `deferTo` | what ``FieldRule/winner(among:)`` says, where stamps were given |
///
/// All else is a conflict: `manual` and `merged`, those four without stamps, an overflow, a
/// counter that is no whole number, a set that is no array, an object on one side
/// only. A removal against a change is one too, unless a deletion rule was given;
/// but where the other side only removed something inside, both removed it.
///
/// Exchanging ours and theirs exchanges the sides of the conflicts and what is
/// shown there, the order of a set's elements, and the spelling of texts that
/// are equal; nothing else.
public struct ThreeWayMerge: Hashable, Sendable {
  /// What came of it; `nil` where nothing is left.
  ///
  /// Where there is a conflict, it shows ours.
  public var value: Document.Value?
  /// What the rules could not decide, in the order of the paths.
  public var conflicts: [Conflict]

  /// Whether there is no conflict.
  public var isClean: Bool { conflicts.isEmpty }

  /// How many objects may stand in one another and still be merged name by name.
  ///
  /// One that stands deeper is one value.
  public static var depthMax: Int { 128 }
}
