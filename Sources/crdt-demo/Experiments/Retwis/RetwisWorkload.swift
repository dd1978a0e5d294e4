/// What the nodes do, alike for all algorithms.
struct RetwisWorkload: Sendable {
  /// How large it is: the paper's, unless it is made smaller.
  struct Size: Equatable, Sendable {
    var nodeCount = 50
    var userCount = 10_000
    var operationsPerNode = 100
  }

  let size: Size

  /// Operations in percent: 15 follow, 35 post, the rest read.
  private static let (followPercent, postPercent) = (15, 35)

  /// By node, in order.
  private(set) var operations: [[RetwisOperation]] = []

  init(coefficient: Double, seed: UInt64, size: Size = Size()) {
    self.size = size
    let users = ZipfDistribution(count: size.userCount, quarters: Int(coefficient * 4))
    var postCount = 0
    for node in 0..<size.nodeCount {
      var random = SplitMix64(seed: seed, stream: 100 + UInt64(node))
      operations.append(
        (0..<size.operationsPerNode).map { _ in
          let kind = random.below(100)
          if kind < Self.followPercent {
            return .follow(
              user: users.draw(using: &random), followed: users.draw(using: &random))
          }
          if kind < Self.followPercent + Self.postPercent {
            postCount += 1
            return .post(user: users.draw(using: &random), number: postCount - 1)
          }
          return .read(user: random.below(size.userCount))
        })
    }
  }
}
