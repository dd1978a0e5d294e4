import Testing

@testable import CRDTKit

@Suite struct SpanTreeRandomTests {
  struct Shape: Sendable, CustomTestStringConvertible {
    var leaf: Int
    var inner: Int
    var steps: Int
    var seed: UInt64
    var testDescription: String { "leaf \(leaf), inner \(inner), seed \(seed)" }
  }

  static let shapes =
    (1...6).map { Shape(leaf: 2, inner: 2, steps: 700, seed: $0) }
    + (7...10).map { Shape(leaf: 3, inner: 3, steps: 700, seed: $0) }
    + (11...14).map { Shape(leaf: 4, inner: 5, steps: 1000, seed: $0) }
    + (15...16).map { Shape(leaf: 32, inner: 4, steps: 1500, seed: $0) }
    + (17...18).map { Shape(leaf: 32, inner: 32, steps: 1500, seed: $0) }

  @Test(arguments: shapes) func agreesWithAnArray(_ shape: Shape) throws {
    var editor = RandomEditor(shape)
    var copies: [(tree: SpanTree, model: [SpanTree.Span])] = []
    for step in 0..<shape.steps {
      try editor.step()
      if step < 200 || step % 10 == 0 { editor.tree.checkInvariants() }
      if step % 40 == 0 { try editor.compareAll() } else { try editor.compareSome() }
      if step % 100 == 50 { copies.append((editor.tree, editor.model)) }
      if step % 250 == 249 {
        // Go on from an old copy, while the newer one becomes the copy.
        let old = copies.removeFirst()
        copies.append((editor.tree, editor.model))
        editor.restore(old.tree, old.model)
      }
      try #require(
        editor.failures == 0 && editor.tree.spanCount == editor.model.count, "step \(step)"
      )
    }
    for copy in copies {
      copy.tree.checkInvariants()
      editor.restore(copy.tree, copy.model)
      try editor.compareAll()
    }
    #expect(editor.failures == 0)
  }
}
