import CRDTKit
import Toolkit

extension WorldRun {
  /// Says how far the run is, to whom wants to know.
  func show(_ headline: @autoclosure () -> String) {
    progress? {
      let all = Self.events(of: checker.oracle.version)
      return SimulationProgress(
        headline: headline(), rows: world.nodes.indices.map { row(of: $0, of: all) },
        faults: world.counts.faultsInWords)
    }
  }

  /// How much a replica has seen of all that was done.
  ///
  /// Equal versions stand for equal states, as the checker makes sure: digests would
  /// take too long.
  private func row(of place: Int, of all: UInt64) -> SimulationProgress.Row {
    let version = world.nodes[place].value.version
    let seen = Self.events(of: version)
    return SimulationProgress.Row(
      share: all == 0 ? 1 : Double(seen) / Double(all), done: Int(clamping: seen).grouped,
      bytes: 0, digest: String(version.hashValue, radix: 16), note: note(on: place))
  }

  private func note(on place: Int) -> String {
    if world.hasLeft(place) { return "left" }
    if world.isPaused(place) { return "stopped" }
    return world.isUp(place) ? "" : "down"
  }

  private static func events(of version: VersionVector) -> UInt64 {
    version.reduce(0) { $0 + $1.counter }
  }
}
