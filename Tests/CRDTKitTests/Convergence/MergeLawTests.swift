import CRDTKit
import CRDTTestSupport
import Testing

/// Commutativity, associativity and idempotence on whole states and their bytes,
/// and that a delta does what the state would, for each type.
@Suite("Merge laws")
struct MergeLawTests {
  private func check<Root: RootShape>(
    _ shape: Root.Type, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for seed in 0..<(isLongRun ? 2_000 : 6) as Range<UInt64> {
      let states = relatedStates(of: shape, count: 4, stepCount: 24, seed: seed)
      if let violation = mergeLawViolation(among: states) {
        Issue.record("seed \(seed): \(violation)", sourceLocation: sourceLocation)
        return
      }
    }
  }

  @Test("sets") func sets() { check(SetShape<String>.self) }
  @Test("growing sets") func growingSets() { check(GrowingSetShape.self) }
  @Test("registers") func registers() { check(RegisterShape.self) }
  @Test("flags") func flags() {
    check(EnableWinsShape.self)
    check(DisableWinsShape.self)
  }
  @Test("maps of sets") func mapsOfSets() { check(MapShape<SetShape<Int>>.self) }
  @Test("maps of growing sets") func mapsOfGrowingSets() { check(MapShape<GrowingSetShape>.self) }
  @Test("maps of registers") func mapsOfRegisters() {
    check(MapShape<RegisterShape>.self)
    check(MapShape<LastWriterShape>.self)
  }
  @Test("maps of flags") func mapsOfFlags() {
    check(MapShape<EnableWinsShape>.self)
    check(MapShape<DisableWinsShape>.self)
  }
  @Test("maps of counters") func mapsOfCounters() {
    check(MapShape<CounterShape>.self)
    check(MapShape<GrowingCounterShape>.self)
  }
  @Test("maps of maps") func mapsOfMaps() {
    check(MapShape<MapShape<SetShape<Int>>>.self)
    check(MapShape<MapShape<CounterShape>>.self)
  }
}
