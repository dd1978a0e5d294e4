import CRDTKit
import CRDTTestSupport
import Testing

/// Random schedules of edits, deltas that are lost, repeated, reordered or ahead,
/// whole merges and copies, on real types and the plain model side by side.
///
/// A failure prints the seed and the least part of its schedule that still fails. Long
/// runs (`CRDT_LONG_TESTS`) play thousands.
@Suite("Schedules")
struct ScheduleTests {
  private func play<Root: RootShape>(
    _ shape: Root.Type, seeds: Range<UInt64> = 0..<(isLongRun ? 2_000 : isOptimized ? 14 : 6),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if let failure = firstFailure(of: shape, seeds: seeds, stepCounts: 10...80) {
      Issue.record("\(failure)", sourceLocation: sourceLocation)
    }
  }

  @Test("sets of integers") func sets() {
    play(SetShape<Int>.self, seeds: 0..<(isLongRun ? 5_000 : isOptimized ? 50 : 20))
  }
  @Test("sets of texts") func textSets() { play(SetShape<String>.self) }
  @Test("growing sets") func growingSets() { play(GrowingSetShape.self) }
  @Test("multi-value registers") func registers() { play(RegisterShape.self) }
  @Test("enable-wins flags") func enableWins() { play(EnableWinsShape.self) }
  @Test("disable-wins flags") func disableWins() { play(DisableWinsShape.self) }
  @Test("maps of sets") func mapsOfSets() { play(MapShape<SetShape<Int>>.self) }
  @Test("maps of growing sets") func mapsOfGrowingSets() { play(MapShape<GrowingSetShape>.self) }
  @Test("maps of registers") func mapsOfRegisters() { play(MapShape<RegisterShape>.self) }
  @Test("maps of enable-wins flags") func mapsOfEnableWins() {
    play(MapShape<EnableWinsShape>.self)
  }
  @Test("maps of disable-wins flags") func mapsOfDisableWins() {
    play(MapShape<DisableWinsShape>.self)
  }
  @Test("maps of counters") func mapsOfCounters() { play(MapShape<CounterShape>.self) }
  @Test("maps of growing counters") func mapsOfGrowingCounters() {
    play(MapShape<GrowingCounterShape>.self)
  }
  @Test("maps of last-writer registers") func mapsOfLastWriters() {
    play(MapShape<LastWriterShape>.self)
  }
  @Test("maps of maps of sets") func mapsOfMapsOfSets() {
    play(MapShape<MapShape<SetShape<String>>>.self)
  }
  @Test("maps of maps of registers") func mapsOfMapsOfRegisters() {
    play(MapShape<MapShape<RegisterShape>>.self)
  }
  @Test("maps of maps of maps of flags") func mapsOfMapsOfMaps() {
    play(MapShape<MapShape<MapShape<EnableWinsShape>>>.self)
  }
  @Test("maps of maps of counters") func mapsOfMapsOfCounters() {
    play(MapShape<MapShape<CounterShape>>.self)
  }
}
