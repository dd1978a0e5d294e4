/// The way from a replica to the root of the tree along which a group sends: the replica
/// first, the root last.
///
/// Everyone takes the least replica that it hears of for the root, and the shortest way
/// to it for its own; ways that lead through itself it leaves. So the ways make a tree
/// without loops as soon as all have heard of them, and after a link breaks: as paths do
/// between networks (Rekhter, Li, Hares, "A Border Gateway Protocol 4", RFC 4271, 2006).
@usableFromInline
struct TreeRoute: Hashable, Sendable {
  /// How many replicas a way has at most: who is further away has a tree of its own.
  @usableFromInline static let lengthMax = 255

  let replicas: [ReplicaID]

  /// The way of a replica that is the root itself.
  @usableFromInline
  init(of replica: ReplicaID) {
    replicas = [replica]
  }

  /// The way over a neighbour; `nil` where it leads back, or is too long.
  init?(of replica: ReplicaID, over neighbour: TreeRoute, lengthMax: Int) {
    guard neighbour.replicas.count < lengthMax, !neighbour.replicas.contains(replica)
    else { return nil }
    replicas = [replica] + neighbour.replicas
  }

  /// The best way that there is over neighbours that have told theirs.
  ///
  /// A way on which another neighbour stands, and leads on otherwise than that one says
  /// itself, is out of date, and left. Without that, where all are linked with all, each
  /// would try the ways over every other before it believed that a root is gone (Pei et
  /// al., "Improving BGP Convergence Through Consistency Assertions", 2002).
  @usableFromInline
  init(of replica: ReplicaID, overBestOf neighbours: [TreeRoute?], lengthMax: Int) {
    self.init(of: replica)
    var told: [ReplicaID: TreeRoute] = [:]
    for case .some(let neighbour) in neighbours { told[neighbour.replica] = neighbour }
    for neighbour in neighbours {
      guard let neighbour,
        let way = TreeRoute(of: replica, over: neighbour, lengthMax: lengthMax),
        way.isBetter(than: self), neighbour.agrees(with: told)
      else { continue }
      self = way
    }
  }

  /// Whether it goes on from each replica on it as that one has told itself.
  private func agrees(with told: [ReplicaID: TreeRoute]) -> Bool {
    // The first that has told decides: what comes after it is that one's own way.
    for place in replicas.indices.dropFirst() {
      guard let way = told[replicas[place]] else { continue }
      return replicas[place...].elementsEqual(way.replicas)
    }
    return true
  }

  /// Whose way it is.
  var replica: ReplicaID { replicas[0] }

  var root: ReplicaID { replicas[replicas.count - 1] }

  /// The neighbour over which it leads, unless the replica is the root.
  var parent: ReplicaID? { replicas.count > 1 ? replicas[1] : nil }

  /// How many links it leads over.
  var hops: Int { replicas.count - 1 }

  /// Whether it is to be preferred.
  func isBetter(than other: TreeRoute) -> Bool {
    (root, hops, parent ?? replica) < (other.root, other.hops, other.parent ?? other.replica)
  }
}

extension TreeRoute {
  func encode(to writer: inout ByteWriter) {
    for replica in replicas { replica.encode(to: &writer) }
  }

  /// Reads a way that a replica has told.
  init(from reader: inout ByteReader, of replica: ReplicaID) throws(DecodingFailure) {
    let start = reader.offset
    var replicas: [ReplicaID] = []
    while reader.remaining > 0 {
      guard replicas.count < Self.lengthMax else {
        throw DecodingFailure(.outOfBounds("the length of a way"), at: start)
      }
      replicas.append(try ReplicaID(from: &reader))
    }
    guard replicas.first == replica, Set(replicas).count == replicas.count else {
      throw DecodingFailure(.invalidValue("a way that does not lead anywhere"), at: start)
    }
    self.replicas = replicas
  }
}
