/// A dictionary that takes in what ``MapDeltas`` takes in.
final class MapUpserts {
  private var dictionary: [String: String]
  private let batches: [[(key: String, value: String)]]
  private let asks: Bool
  private var step = 0
  private var found = 0

  init(_ job: MapJob, asks: Bool) {
    dictionary = job.dictionary()
    batches = MapDeltas.batches(job).enumerated().map { step, batch in
      batch.enumerated().map { place, key in
        (key, Elements.mixedText(step * MapDeltas.size + place))
      }
    }
    self.asks = asks
  }

  func takeInNext() {
    for (key, value) in batches[step] { dictionary[key] = value }
    if asks, dictionary[batches[step][0].key] != nil { found += 1 }
    step += 1
  }
}
