/// The result of merging two changed copies of a value with their common base.
///
/// Objects are merged name by name, at every depth. Anything else is one value:
/// - if only one side changed or removed it, that side's change applies;
/// - if both made the same change, it applies;
/// - if both changed it to different values, the field's rule decides.
///
/// In the last case the rules mean:
///
/// | rule | the field holds |
/// |---|---|
/// | `max`, `min` | the greater, or the lesser, of both |
/// | `counter` | the base and both differences; equal differences count twice |
/// | `set` | an array: our elements in order, without their removals, then their additions; each once |
/// | `lastWriterWins`, `firstWriterWins`, `authority`, `deferTo` | the result of ``Schema/FieldRule/winner(among:)``, if stamps were given |
///
/// Everything else is a conflict: `manual` and `merged`, those four without stamps, an
/// overflow, a counter that is not a whole number, a set that is not an array, and an
/// object on one side only. A removal against a change is a conflict too, unless you pass
/// a deletion rule. If the other side only removed something inside, both sides count as
/// having removed it.
///
/// If you exchange ours and theirs, only these change: the sides of the conflicts and the
/// value shown there, the order of a set's elements, and the spelling of equal texts.
public struct ThreeWayMerge: Hashable, Sendable {
  /// The merged value; `nil` if nothing remains.
  ///
  /// In a conflict, it has our value.
  public var value: Document.Value?
  /// The conflicts that the rules could not resolve, in the order of their paths.
  public var conflicts: [Conflict]

  /// Whether there are no conflicts.
  public var isClean: Bool { conflicts.isEmpty }

  /// The greatest number of nested objects that are merged name by name.
  ///
  /// A deeper object is one value.
  public static var depthMax: Int { 128 }
}

extension ThreeWayMerge {
  /// A field that both sides changed, and that its rule could not resolve.
  public struct Conflict: Sendable {
    /// The value in the base; `nil` if it was absent.
    public var base: Document.Value?
    /// Our value; `nil` if we removed it.
    ///
    /// The merged value shows this.
    public var ours: Document.Value?
    /// Their value; `nil` if they removed it.
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

    /// The path of the value; empty if the values as a whole are in conflict.
    ///
    /// - Complexity: O(length of the path).
    public var path: FieldPath { place?.path ?? [] }
  }
}

extension ThreeWayMerge.Conflict: Hashable {
  /// Whether two conflicts have the same path and values.
  public static func == (left: Self, right: Self) -> Bool {
    left.path == right.path && left.base == right.base && left.ours == right.ours
      && left.theirs == right.theirs
  }

  /// Hashes the path and the values.
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
    let place = path.names.isEmpty ? "the whole" : path.description.visible
    return "\(place): \(text(base)) became \(text(ours)) and \(text(theirs))"
  }
}

/// A position in a tree of values: a name, and the position of the value around it.
///
/// Positions share their common names, so a hundred thousand conflicts beneath one long
/// path don't each hold a copy of that path.
final class ThreeWayPlace: Sendable {
  private let names: [String]
  private let parent: ThreeWayPlace?

  init(names: [String], parent: ThreeWayPlace?) {
    self.names = names
    self.parent = parent
  }

  /// The names, outermost first.
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
