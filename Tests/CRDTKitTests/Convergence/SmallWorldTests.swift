import CRDTKit
import CRDTTestSupport
import Testing

/// Three replicas and every order of a few operations and exchanges.
///
/// In long runs (`CRDT_LONG_TESTS`) an operation more.
@Suite("Small worlds")
struct SmallWorldTests {
  private func visit<Root: RootShape>(
    _: Root.Type, operationMax: Int, atLeast count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var worlds = SmallWorlds<Root>(operationMax: operationMax + (isLongRun ? 1 : 0))
    do throws(Discrepancy) {
      try worlds.visitAll()
      #expect(worlds.count >= count, sourceLocation: sourceLocation)
    } catch {
      Issue.record("\(error)", sourceLocation: sourceLocation)
    }
  }

  @Test("sets") func sets() {
    visit(SetShape<Int>.self, operationMax: 3, atLeast: 600)
  }
  @Test("growing sets") func growingSets() {
    visit(GrowingSetShape.self, operationMax: 2, atLeast: 60)
  }
  @Test("registers") func registers() {
    visit(RegisterShape.self, operationMax: 2, atLeast: 60)
  }
  @Test("enable-wins flags") func enableWins() {
    visit(EnableWinsShape.self, operationMax: 2, atLeast: 60)
  }
  @Test("disable-wins flags") func disableWins() {
    visit(DisableWinsShape.self, operationMax: 2, atLeast: 60)
  }
  @Test("maps of sets") func mapsOfSets() {
    visit(MapShape<SetShape<Int>>.self, operationMax: 2, atLeast: 60)
  }
  @Test("maps of registers") func mapsOfRegisters() {
    visit(MapShape<RegisterShape>.self, operationMax: 2, atLeast: 60)
  }
  @Test("maps of last-writer registers") func mapsOfLastWriters() {
    visit(MapShape<LastWriterShape>.self, operationMax: 2, atLeast: 60)
  }
  @Test("maps of counters") func mapsOfCounters() {
    visit(MapShape<CounterShape>.self, operationMax: 2, atLeast: 60)
  }
  @Test("maps of maps of counters") func mapsOfMapsOfCounters() {
    visit(MapShape<MapShape<CounterShape>>.self, operationMax: 3, atLeast: 600)
  }
}
