import Testing

@testable import CRDTSimulator

@Suite("The live view")
struct LiveViewTests {
  private func progress(_ replicas: Int) -> SimulationProgress {
    SimulationProgress(
      headline: "round 7",
      rows: (0..<replicas).map { place in
        SimulationProgress.Row(
          share: Double(place) / 10, done: "\(place * 1_000)", bytes: place * 12_345,
          digest: place == 1 ? "b" : "a", note: place == 2 ? "3 kills" : "")
      }, faults: "5 lost")
  }

  @Test("fits the terminal, however small it is")
  func size() {
    for columns in [1, 2, 10, 20, 33, 40, 80, 200] {
      for rows in [1, 2, 3, 5, 12, 50] {
        for replicas in [1, 2, 4, 30] {
          let view = LiveView(columns: columns, rows: rows) { $1 }
          let lines = view.lines(of: progress(replicas))
          #expect(lines.count < max(rows, 2))
          #expect(lines.allSatisfy { $0.count < max(columns, 3) }, "\(columns): \(lines)")
        }
      }
    }
  }

  @Test("shows how far each is, who agrees with whom, and what is left out")
  func rows() {
    let view = LiveView(columns: 60, rows: 8) { $1 }
    let lines = view.lines(of: progress(4))
    #expect(lines[0] == "round 7 · 3 of 4 agree · 74.1 kB sent")
    #expect(lines[1].hasPrefix("1  ░") && lines[1].hasSuffix("0      0 B  A"))
    #expect(lines[2].hasPrefix("2  █") && lines[2].hasSuffix("1000  12.3 kB  B"))
    #expect(lines[3].hasSuffix("2000  24.7 kB  A  3 kills"))
    #expect(lines[5] == "5 lost")
    #expect(view.lines(of: progress(9)).contains("… and 5 more"))
  }
}
