import CRDTKit

/// A map that takes in one delta after another, each of a hundred keys written
/// by another replica: fifty new ones, and fifty others overwritten.
final class MapDeltas {
  static let size = 100
  /// More than any run takes.
  static let stepMax = 64

  private var document: Document
  private let deltas: [[UInt8]]
  private let asked: [String]
  private let asks: Bool
  private var step = 0
  private var found = 0

  init(_ job: MapJob, asks: Bool) throws {
    let bytes = job.document().encoded()
    document = try job.indexed(decoding: bytes)
    var peer = try job.indexed(decoding: bytes)
    let batches = Self.batches(job)
    deltas = batches.enumerated().map { step, batch in
      Self.write(batch, step: step, to: &peer).encoded()
    }
    asked = batches.map { $0[0] }
    self.asks = asks
  }

  /// Keys by step.
  static func batches(_ job: MapJob) -> [[String]] {
    let old = Elements.shuffled(job.count)
    return (0..<stepMax).map { step in
      (0..<size / 2).flatMap { place in
        let number = step * size / 2 + place
        return [Elements.key(job.count + number), Elements.key(old[number % job.count])]
      }
    }
  }

  /// Writes one step's keys in one edit.
  static func write(
    _ batch: [String], step: Int, to document: inout Document
  ) -> TableDelta<Document> {
    document.edit(at: .of(.right, round: step + 1)) { edit in
      for (place, key) in batch.enumerated() {
        edit.set(key, to: Elements.mixedText(step * size + place))
      }
    }
  }

  func takeInNext() throws {
    guard try document.apply(decoding: deltas[step]) else {
      throw UnequalOutcome(name: "a delta of \(Self.size) keys", ours: 0, baseline: Self.size)
    }
    if asks, document.text(of: asked[step]) != nil { found += 1 }
    step += 1
  }
}
