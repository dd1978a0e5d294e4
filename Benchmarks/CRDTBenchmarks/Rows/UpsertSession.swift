/// A dictionary that takes in one batch of new entries after another.
final class UpsertSession {
  private var dictionary: [Int: Int]
  private let batches: [[Int]]
  private let asks: Bool
  private var step = 0
  private var found = 0

  init(dictionary: [Int: Int], batches: [[Int]], asks: Bool) {
    self.dictionary = dictionary
    self.batches = batches
    self.asks = asks
  }

  private static func upsert(_ batch: [Int], into dictionary: inout [Int: Int]) {
    for number in batch { dictionary[number] = number }
  }

  func takeInNext() {
    Self.upsert(batches[step], into: &dictionary)
    if asks, dictionary[batches[step][0]] != nil { found += 1 }
    step += 1
  }
}
