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
