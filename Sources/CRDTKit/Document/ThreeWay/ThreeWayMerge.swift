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

extension ThreeWayMerge {
  /// A field that both sides changed, and whose rule could not decide.
  public struct Conflict: Sendable {
    /// What it was; `nil` where there was nothing.
    public var base: Document.Value?
    /// What we made of it; `nil` where we removed it.
    ///
    /// The merged value shows this.
    public var ours: Document.Value?
    /// What they made of it; `nil` where they removed it.
    public var theirs: Document.Value?

    private let place: ThreeWayPlace?

    /// Creates a conflict.
    public init(
      path: FieldPath, base: Document.Value?, ours: Document.Value?, theirs: Document.Value?
    ) {
      self.init(
        at: path.names.isEmpty ? nil : ThreeWayPlace(names: path.names, parent: nil),
        of: ThreeWayVersions(base: base, ours: ours, theirs: theirs))
    }

    init(at place: ThreeWayPlace?, of versions: ThreeWayVersions) {
      self.place = place
      base = versions.base
      ours = versions.ours
      theirs = versions.theirs
    }

    /// Where it is; without names where the values as wholes are in conflict.
    ///
    /// - Complexity: O(length of the path).
    public var path: FieldPath { place?.path ?? [] }
  }
}

extension ThreeWayMerge.Conflict: Hashable {
  /// Whether two conflicts are at the same place, between the same values.
  public static func == (left: Self, right: Self) -> Bool {
    left.path == right.path && left.base == right.base && left.ours == right.ours
      && left.theirs == right.theirs
  }

  /// Takes in the path and the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(base)
    hasher.combine(ours)
    hasher.combine(theirs)
  }
}

extension ThreeWayMerge.Conflict: CustomStringConvertible {
  /// The path, and the three values.
  public var description: String {
    func text(_ value: Document.Value?) -> String { value.map(\.description) ?? "absent" }
    return "\(path.description.visible): \(text(base)) became \(text(ours)) and \(text(theirs))"
  }
}

/// A place in a tree of values: names, after those of the place around it.
///
/// Places share the names they have in common, so that a hundred thousand
/// conflicts beneath one long path don't hold that path as often.
final class ThreeWayPlace: Sendable {
  private let names: [String]
  private let parent: ThreeWayPlace?

  init(names: [String], parent: ThreeWayPlace?) {
    self.names = names
    self.parent = parent
  }

  /// The names from the outermost.
  var path: FieldPath {
    var parts = [names]
    var next = parent
    while let place = next {
      parts.append(place.names)
      next = place.parent
    }
    return FieldPath(Array(parts.reversed().joined()))
  }
}
