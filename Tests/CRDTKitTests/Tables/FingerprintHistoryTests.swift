import CRDTStoreTesting
import CRDTTestSupport
import Testing

@testable import CRDTKit

@Suite("The marks of a replica's events")
struct FingerprintHistoryTests {
  /// A fingerprint that no other counter has.
  private func fingerprint(at counter: UInt64) -> UInt32 { UInt32(counter) &* 2_654_435_761 | 1 }

  @Test("are kept at the counters that the version says, as counted, read and noted")
  func kept() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let end = 1 + random.next() >> UInt64.random(in: 44..<64, using: &random)
      let first = UInt64.random(in: 0..<3, using: &random) == 0 ? 1 : 1 + random.next() % (end + 2)
      // Each counter is asked, where there are few; of many the reach of each power.
      var counters: [UInt64] = []
      FingerprintHistory.forEachKept(from: first, before: end) { counters.append($0) }
      #expect(FingerprintHistory.keptCount(from: first, before: end) == counters.count)
      if end < 5_000 {
        let expected = (1..<max(end, 2)).filter {
          $0 >= first && FingerprintHistory.keeps($0, before: end)
        }
        #expect(counters == expected, "from \(first), before \(end)")
      }
      var next = counters[...]
      let read = FingerprintHistory(from: first, before: end) {
        next.popFirst().map(fingerprint(at:)) ?? 0
      }
      var noted = FingerprintHistory()
      for counter in counters { noted.append(fingerprint(at: counter), at: counter) }
      for counter in counters {
        #expect(read.fingerprint(at: counter) == fingerprint(at: counter))
        #expect(noted.fingerprint(at: counter) == fingerprint(at: counter))
      }
      #expect(next.isEmpty && (counters.isEmpty || read.end == end && noted.end == end))
    }
  }

  @Test("that are kept no longer are let go of, however they come")
  func bounded() {
    var random = SeededGenerator(seed: 2)
    var (history, counter): (FingerprintHistory, UInt64) = (FingerprintHistory(), 0)
    for _ in 0..<50_000 {
      counter += UInt64.random(in: 1...4, using: &random)
      history.append(fingerprint(at: counter), at: counter)
    }
    FingerprintHistory.forEachKept(from: 1, before: counter + 1) {
      if let found = history.fingerprint(at: $0) { #expect(found == fingerprint(at: $0)) }
    }
    #expect(history.fingerprint(at: counter) == fingerprint(at: counter))
    #expect(history.older.count + history.recent.count < 2_000)
  }
}
