import CRDTKit

/// States and deltas of every type, made the same way every time.
package enum Specimens {
  package static let all: [Specimen] = tables + documents + plain

  private static var tables: [Specimen] {
    ofTable("orset.int", SetShape<Int>.self, [.insert(3), .insert(300), .insert(-1), .remove(300)])
      + ofTable("orset.string", SetShape<String>.self, [.insert(0), .insert(7), .insert(10)])
      + ofTable("gset.string", GrowingSetShape.self, [.insert(1), .insert(3), .insert(5)])
      + ofTable("mvregister.int", RegisterShape.self, [.set(1, at: 0), .set(-70_000, at: 0)])
      + ofTable("ewflag", EnableWinsShape.self, [.enable, .disable, .enable])
      + ofTable("dwflag", DisableWinsShape.self, [.enable, .disable])
      + ofTable(
        "map.orset", MapShape<SetShape<Int>>.self,
        [.under(0, .insert(1)), .under(4, .insert(2)), .removeKey(0), .under(5, .insert(1))])
      + ofTable(
        "map.mvregister", MapShape<RegisterShape>.self,
        [.under(0, .set(1, at: 0)), .under(4, .set(2, at: 0)), .removeKey(0)])
      + ofTable(
        "map.lwwregister", MapShape<LastWriterShape>.self,
        [.under(4, .set(1, at: 5)), .under(5, .set(2, at: 6)), .removeKey(5)])
      + ofTable(
        "map.gcounter", MapShape<GrowingCounterShape>.self,
        [.under(4, .add(5)), .under(5, .add(300)), .removeKey(4), .under(4, .add(1))])
      + ofTable(
        "map.pncounter", MapShape<CounterShape>.self,
        [.under(4, .add(5)), .under(4, .add(-2)), .removeKey(4), .under(4, .add(1))])
      + ofTable("map.ewflag", MapShape<EnableWinsShape>.self, [.under(4, .enable)])
      + ofTable("map.dwflag", MapShape<DisableWinsShape>.self, [.under(4, .disable)])
      + ofTable(
        "map.map.orset", MapShape<MapShape<SetShape<String>>>.self,
        [
          .under(4, .under(5, .insert(0))), .under(4, .removeKey(5)),
          .under(3, .under(4, .insert(6))),
        ])
  }

  /// Nothing; one event; three writers; a delta that adds, one that removes, one
  /// from a log that was cut.
  private static func ofTable<Root: RootShape>(
    _ name: String, _: Root.Type, _ operations: [Operation]
  ) -> [Specimen] {
    let ids = [ReplicaID(1), ReplicaID(0x1234_5678_9ABC_DEF0), ReplicaID(2)]
    var one = Root.make()
    Root.perform(operations[0], on: &one, by: ids[0])
    var left = one
    var right = one
    for operation in operations {
      left.edit(by: ids[1]) { Root.perform(operation, in: &$0) }
      Root.perform(operation, on: &right, by: ids[2])
    }
    let concurrent = left.merging(right)
    var many = concurrent
    for operation in operations.reversed() { Root.perform(operation, on: &many, by: ids[0]) }
    var forgetful = many
    for column in forgetful._table.columns.indices {
      let seen = forgetful._table.columns[column].seen
      forgetful._table.columns[column].kills = KillLog(floor: seen)
    }
    let peers = [Root.make(), one, concurrent, many]
    return [
      .state("\(name).empty", of: Root.self, Root.make(), peers: peers),
      .state("\(name).one", of: Root.self, one, peers: peers),
      .state("\(name).concurrent", of: Root.self, concurrent, peers: peers),
      .delta("\(name).delta.first", of: Root.self, one.delta(since: [:]), peers: peers),
      .delta("\(name).delta.kills", of: Root.self, many.delta(since: one.version), peers: peers),
      .delta(
        "\(name).delta.survivors", of: Root.self, forgetful.delta(since: one.version),
        peers: peers),
    ]
  }

  private static var plain: [Specimen] {
    let (phone, laptop) = (ReplicaID(1), ReplicaID(0xFFFF_0000_0000_0001))
    var grown = GCounter()
    try? grown.increment(5, by: phone)
    var taller = grown
    try? taller.increment(300, by: laptop)
    var stock = PNCounter()
    try? stock.increment(500, by: laptop)
    var sold = stock
    try? sold.decrement(7, by: phone)
    let early = LWWRegister(
      "Moon", at: HybridTimestamp(milliseconds: 1_700_000_000_000, replica: phone))
    let late = LWWRegister(
      "Full moon", at: HybridTimestamp(milliseconds: 1_700_000_000_000, logical: 1, replica: phone))
    return [
      .plain("gcounter.one", grown, peers: [GCounter(), taller]),
      .plain("gcounter.two", taller, peers: [GCounter(), grown]),
      .plain("pncounter.empty", PNCounter(), peers: [stock, sold]),
      .plain("pncounter.two", sold, peers: [PNCounter(), stock]),
      .plain("lwwregister", early, peers: [late]),
      .value("lwwregister.delta", late.delta(since: early.version)),
      .value("versionvector", [phone: 3, laptop: 70_000] as VersionVector),
    ]
  }
}
