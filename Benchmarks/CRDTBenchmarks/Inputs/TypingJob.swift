import CRDTKit
import CRDTStoreTesting
import Foundation
import Toolkit

/// Edits of one writer, patch by patch: those of the trace that `CRDT_BENCHMARK_TRACE` names,
/// or typing that is made up: words, here and there, and now and then a correction.
struct TypingJob {
  typealias Patch = EditingTrace.Patch

  let patches: [Patch]

  init(_ count: Int) throws {
    if let path = ProcessInfo.processInfo.environment["CRDT_BENCHMARK_TRACE"] {
      let trace = try EditingTrace(utf8: Array(Data(contentsOf: URL(filePath: path))))
      patches = trace.transactions.flatMap(\.patches)
    } else {
      patches = Self.madeUp(count)
    }
  }

  private static func madeUp(_ count: Int) -> [Patch] {
    var random = SeededGenerator(seed: 11)
    var patches: [Patch] = []
    var (length, place) = (0, 0)
    while patches.count < count {
      if Int.random(in: 0..<12, using: &random) == 0 {
        place = Int.random(in: 0...length, using: &random)
      }
      if place > 0, Int.random(in: 0..<10, using: &random) < 3 {
        place -= 1
        length -= 1
        patches.append(Patch(position: place, deleteCount: 1, inserted: ""))
      } else {
        let letter = "etaoin shrdlu".unicodeScalars.randomElement(using: &random) ?? "e"
        patches.append(Patch(position: place, deleteCount: 0, inserted: String(letter)))
        place += 1
        length += 1
      }
    }
    return patches
  }

  /// Makes all edits, one by one.
  func type(into text: inout ReplicatedText, by replica: ReplicaID) {
    for patch in patches { type(patch, into: &text, by: replica) }
  }

  private func type(_ patch: Patch, into text: inout ReplicatedText, by replica: ReplicaID) {
    let start = text.index(patch.position, in: .unicodeScalars)
    if patch.deleteCount > 0 {
      let end = text.index(patch.position + patch.deleteCount, in: .unicodeScalars)
      text.removeSubrange(start..<end, by: replica)
    }
    guard !patch.inserted.isEmpty else { return }
    let place = text.index(patch.position, in: .unicodeScalars)
    text.insert(patch.inserted, at: place, by: replica)
  }

  /// Makes all edits, one by one, and returns the encoded delta of each.
  func deltas(of text: inout ReplicatedText, by replica: ReplicaID) -> [[UInt8]] {
    patches.map { patch in
      let before = text.version
      type(patch, into: &text, by: replica)
      return text.delta(since: before).encoded()
    }
  }

  /// Makes all edits in an array of scalars.
  func type(into scalars: inout [Unicode.Scalar]) {
    for patch in patches {
      scalars.replaceSubrange(
        patch.position..<patch.position + patch.deleteCount, with: patch.inserted.unicodeScalars)
    }
  }

  func text(by replica: ReplicaID) -> ReplicatedText {
    var text = ReplicatedText()
    type(into: &text, by: replica)
    return text
  }
}
