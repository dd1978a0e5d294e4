/// What a node's update added, under the number of that update.
struct VersionedDelta<Content: Lattice>: Sendable {
  var node: Int
  var version: Int
  var content: Content
}
