import CRDTKit
import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport
import Testing

/// Stores on several machines, whose folders a tool copies, badly.
@Suite("A relay's folder that is copied from machine to machine")
struct RelayScheduleTests {
  @Test("All come to hold the same, and nothing is lost", .timeLimit(.minutes(30)))
  func schedules() throws {
    for seed in 0..<UInt64(isLongRun ? 400 : 40) {
      if let wrong = try run(seed) {
        Issue.record("seed \(seed): \(wrong)")
        return
      }
    }
  }

  /// A machine with its store and its copy of the folder.
  private struct Machine {
    let stores: TestStores
    var store: Store
    var relay: FolderRelay
  }

  private func options(_ number: Int) -> FolderRelay.Options {
    var options = FolderRelay.Options.standard
    options.minimumMergedFiles = 2 + number
    options.gracePeriod = .seconds(60)
    return options
  }

  private func run(_ seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...4, using: &random)
    var machines: [Machine] = try (0..<count).map { number in
      let stores = TestStores(replicasAfter: UInt64(100 * number))
      let store = try stores.open()
      return Machine(
        stores: stores, store: store, relay: store.relay(at: "/relay", options: options(number)))
    }
    let tool = SyncingTool(machines.map(\.stores.files))
    func own(_ machine: Int) {
      let name = machines[machine].store.replica.description
      tool.own(name, by: machine)
    }
    var written: Set<String> = []
    for step in 0..<Int.random(in: 20...160, using: &random) {
      let number = Int.random(in: 0..<count, using: &random)
      let machine = machines[number]
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3:
        // Records that are only made can't be lost.
        let record = "s\(step)"
        written.insert(record)
        try machine.store.edit {
          $0.set("value", of: record, in: "kept", to: .int(Int64(step)))
          $0.set("value", of: "r\(step % 3)", in: "c", to: .int(Int64(step)))
        }
      case 4: try machine.store.edit { $0.delete("r\(step % 3)", in: "c") }
      case 5...6:
        _ = try machine.relay.sync()
        own(number)
      case 7:
        for other in machines { other.stores.clock.milliseconds += 10_000 }
      case 8:
        // It is started anew, and its relay has to find out everything again.
        try machine.store.close()
        machines[number].store = try machine.stores.open()
        machines[number].relay = machines[number].store.relay(
          at: "/relay", options: options(number))
      default:
        for target in 0..<count where target != number {
          try tool.deliver(2, from: number, to: target, isSound: false, using: &random)
        }
      }
    }
    for _ in 0..<20 where !isQuiet(machines, tool) {
      for (number, machine) in machines.enumerated() {
        _ = try machine.relay.sync()
        own(number)
        machine.stores.clock.milliseconds += 30_000
      }
      for source in 0..<count {
        for target in 0..<count where target != source {
          try tool.deliver(12, from: source, to: target, isSound: true, using: &random)
        }
      }
    }
    return discrepancy(machines, written)
  }

  private func isQuiet(_ machines: [Machine], _ tool: SyncingTool) -> Bool {
    machines.allSatisfy { $0.store.document == machines[0].store.document }
      && machines.allSatisfy { $0.store.peers.count == machines.count - 1 }
  }

  private func discrepancy(_ machines: [Machine], _ written: Set<String>) -> String? {
    for (number, machine) in machines.enumerated() {
      if machine.store.document != machines[0].store.document {
        return "store \(number) holds another document: \(machine.store.document.version) for "
          + "\(machines[0].store.document.version)"
      }
      let lost = written.subtracting(machine.store.document.records(in: "kept"))
      if !lost.isEmpty { return "store \(number) has lost \(lost.sorted())" }
      if !machine.store.document.forks.isEmpty { return "store \(number) knows of forks" }
      if !machine.stores.files.misuses.isEmpty { return "\(machine.stores.files.misuses)" }
    }
    return nil
  }
}
