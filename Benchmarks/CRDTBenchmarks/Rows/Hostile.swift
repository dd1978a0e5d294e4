import CRDTKit
import CRDTStore

extension Benchmark {
  /// Bytes of n and of 60,000 in a million, with how long any step with them may take.
  private var sizes: [(name: String, size: Int, bar: Bar)] {
    [("", n, .value(1e9)), (".60k", n / 50 * 3, .value(1e8))]
  }

  func addHostileBenchmarks() throws {
    for kind in HostileKind<Document>.all {
      try add(kind) { $0.schema = HostileKind<Document>.schema }
      for (name, size, bar) in sizes {
        for replicas in [1, 100] {
          let name = "hostile.store.\(kind.name).by\(replicas)\(name)"
          try measureSteps(name, size: size, bar: bar) {
            try storeSteps(kind, size: $0, replicas: replicas)
          }
        }
      }
    }
    try addHostileSets()
    try addHostileMaps()
  }

  private func add<Value>(
    _ kind: HostileKind<Value>, adopt: @escaping (inout Value) -> Void = { _ in }
  ) throws {
    for (name, size, bar) in sizes {
      for replicas in [1, 2, 100] {
        try measureSteps("hostile.\(kind.name).by\(replicas)\(name)", size: size, bar: bar) {
          try kind.steps(size: $0, replicas: replicas, adopt: adopt)
        }
      }
    }
  }

  private func addHostileSets() throws {
    var set = ORSet<String>()
    set.insert("a", by: .author)
    try add(
      HostileKind(
        name: "orset", value: set, empty: ORSet(),
        reads: [
          ("contains", { blackHole($0.contains("a")) }), ("count", { blackHole($0.count) }),
          ("iterate", { blackHole(Array($0)) }),
        ],
        replace: { $0.insert("a", by: .right) }))
    var register = MVRegister<String>()
    register.set("a", by: .author)
    try add(
      HostileKind(
        name: "mvregister", value: register, empty: MVRegister(),
        reads: [("values", { blackHole($0.values) })], replace: { $0.set("b", by: .right) }))
    var flag = EWFlag()
    flag.enable(by: .author)
    try add(
      HostileKind(
        name: "ewflag", value: flag, empty: EWFlag(),
        reads: [("isEnabled", { blackHole($0.isEnabled) })], replace: { $0.enable(by: .right) }))
  }

  private func addHostileMaps() throws {
    try addMap(
      "counters", of: PNCounter.self, read: { $0.value }, change: { _ = try? $0.increment() })
    try addMap(
      "registers", of: MVRegister<String>.self, read: { $0.values }, change: { $0.set("x") })
    try addMap("sets", of: ORSet<String>.self, read: { $0.count }, change: { $0.insert("x") })
  }

  private func addMap<Nested: MapValue, Shown>(
    _ name: String, of: Nested.Type, read: @escaping (Nested) -> Shown,
    change: @escaping (inout Editor<Nested>) -> Void
  ) throws {
    var map = MergeMap<String, Nested>()
    map.update("a", by: .author, change)
    try add(
      HostileKind(
        name: "map.\(name)", value: map, empty: MergeMap(),
        reads: [
          ("get", { blackHole($0["a"].map(read)) }), ("get another", { blackHole($0["b"]) }),
          ("count", { blackHole($0.count) }), ("iterate", { blackHole($0.map(\.key)) }),
        ],
        replace: { $0.update("a", by: .right, change) }))
  }

  /// Made up bytes that one store has taken in and another one gets by way of a folder.
  private func storeSteps(
    _ kind: HostileKind<Document>, size: Int, replicas: Int
  ) throws -> Steps {
    let crowd = Crowd(repeating: kind.row, of: kind.value, size: size, replicas: replicas)
    let folders = (try StoreFolder(), try StoreFolder())
    let relay = Store.SyncTarget.folder(folders.0.path + "/relay")
    var steps = Steps()
    var store = try folders.0.open(schema: HostileKind<Document>.schema)
    let delta = try TableDelta<Document>(decoding: crowd.delta)
    try steps.time("apply") { try store.apply(delta) }
    try steps.time("close") { try store.close() }
    store = try steps.time("open") {
      try folders.0.open(schema: HostileKind<Document>.schema)
    }
    kind.read(store.document, &steps)
    try steps.time("write") { try store.edit { $0.set("f", of: "other", in: "c", to: .int(1)) } }
    try steps.time("relay out") { try store.sync(with: relay) }
    let other = try folders.1.open(schema: HostileKind<Document>.schema)
    try other.edit { $0.set("f", of: "own", in: "c", to: .int(1)) }
    try steps.time("relay in") { try other.sync(with: relay) }
    kind.read(other.document, &steps)
    try steps.time("compact") { try other.compact() }
    return steps
  }
}
