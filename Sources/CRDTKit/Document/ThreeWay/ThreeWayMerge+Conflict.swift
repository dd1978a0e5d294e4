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
