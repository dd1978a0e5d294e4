import CRDTStoreTesting
import Toolkit

/// Two processes that open one store at the same time: never both, never none.
struct Races {
  private let count: Int
  private let seed: UInt64
  private let parent: String

  init(_ arguments: Arguments) throws {
    count = try arguments.number("count", default: 200)
    seed = try arguments.number("seed", default: System.anySeed())
    parent = arguments.text("in") ?? Child.temporaryFolder
  }

  func run() throws -> Outcome {
    let folder = try Files.makeTemporaryFolder(in: parent)
    let start = System.seconds
    var random = SeededGenerator(seed: seed)
    var wins = [0, 0]
    for race in 0..<count {
      // One in four is about a store that isn't there yet.
      let site = try Site(folder, number: race / 4, seed: seed)
      let other = Site(
        store: site.store, outside: folder + "/", number: race / 4 + count, seed: seed)
      let racers = [
        try site.startWriter(["--run", "\(race)"]), try other.startWriter(["--run", "\(race)"]),
      ]
      wins[try winner(of: racers, [site, other], race)] += 1
      if random.below(2) == 0 { System.pause(microseconds: UInt32(random.next() % 10_000)) }
      for racer in racers { _ = try? racer.killNow() }
      let acknowledged = try [site, other].map { try Acknowledgements.latest(at: $0.acks) }
      if acknowledged[1] > acknowledged[0] { try Acknowledgements(site.acks).note(acknowledged[1]) }
      _ = try site.audit(run: UInt64(race))
      other.forget()
      if race % 4 == 3 { try site.remove() }
    }
    try Files.removeFolder(folder)
    let seconds = Int(System.seconds - start)
    System.say(
      "races: \(count) of two openers, won by the first \(wins[0]), by the second \(wins[1]), "
        + "by both or none 0; \(seconds) s (--seed \(seed))")
    return .held
  }

  /// Waits until one racer was told that the store is locked; gives the other one.
  private func winner(of racers: [Child], _ sites: [Site], _ race: Int) throws -> Int {
    let end = System.seconds + 10
    while System.seconds < end {
      for (place, racer) in racers.enumerated() {
        guard let ending = try racer.wait(milliseconds: 0) else { continue }
        let rival = racers[1 - place]
        guard ending == .exited(Outcome.locked.rawValue) else {
          _ = try? rival.killNow()
          throw BrokenPromise(
            "a racer ended with \(ending)\n\(sites[place].replay(seed, race))")
        }
        guard try rival.wait(milliseconds: 2) == nil else {
          throw BrokenPromise("nobody won\n\(sites[1 - place].replay(seed, race))")
        }
        return 1 - place
      }
      System.pause(microseconds: 300)
    }
    for racer in racers { _ = try? racer.killNow() }
    throw BrokenPromise("both have the store open\n\(sites[0].replay(seed, race))")
  }
}
