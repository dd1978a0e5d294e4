extension Document {
  /// A field that both sides of a ``ThreeWayMerge`` changed, and that its rule could not
  /// resolve.
  public struct ThreeWayConflict: Sendable {
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

extension Document.ThreeWayConflict: Hashable {
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

extension Document.ThreeWayConflict: CustomStringConvertible {
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
