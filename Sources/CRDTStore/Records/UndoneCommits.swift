import CRDTKit

/// The commits that were undone here, so that none is undone twice.
///
/// Of each replica, the latest are known one by one; of those before, none can be undone
/// any more.
struct UndoneCommits {
  /// How many are known one by one.
  static var countMax: Int { 512 }

  private static var area: String { "undone/" }

  /// The last events of the commits, in ascending order.
  private(set) var counters: [UInt64] = []
  /// The greatest that was dropped from the list.
  private(set) var floor: UInt64 = 0

  /// The commits of a replica that local values tell of.
  init(of replica: ReplicaID, in local: LocalValues) {
    guard let bytes = local[Self.area + replica.description] else { return }
    var reader = ByteReader(bytes)
    var last: UInt64 = 0
    while reader.remaining > 0, let difference = try? reader.readVarint() {
      last &+= difference
      counters.append(last)
    }
    floor = counters.isEmpty ? 0 : counters.removeFirst()
  }

  /// Refuses a commit that was undone, or may have been.
  func check(_ counter: UInt64, of replica: ReplicaID) throws(RecordError) {
    if counters.contains(counter) { throw .undone(Dot(replica, counter)) }
    if counter <= floor { throw .undoForgotten(Dot(replica, counter)) }
  }

  mutating func insert(_ counter: UInt64) {
    let place = counters.firstIndex { $0 > counter } ?? counters.count
    counters.insert(counter, at: place)
    if counters.count > Self.countMax { floor = counters.removeFirst() }
  }

  /// What is to be kept once some commits are undone.
  static func changes(adding dots: [Dot], to local: LocalValues) -> [LocalChange] {
    Dictionary(grouping: dots, by: \.replica).sorted { $0.key < $1.key }.map { replica, dots in
      var commits = UndoneCommits(of: replica, in: local)
      for dot in dots { commits.insert(dot.counter) }
      var writer = ByteWriter()
      var last: UInt64 = 0
      for counter in [commits.floor] + commits.counters {
        writer.write(varint: counter - last)
        last = counter
      }
      return LocalChange(key: area + replica.description, value: writer.finish())
    }
  }
}
