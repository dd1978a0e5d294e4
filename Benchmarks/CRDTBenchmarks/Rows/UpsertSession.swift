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

  func takeInNext() {
    for number in batches[step] { dictionary[number] = number }
    if asks, dictionary[batches[step][0]] != nil { found += 1 }
    step += 1
  }
}
