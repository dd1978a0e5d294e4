import CRDTKit

/// The latest time that each key was given: the experiments' `GMap`; an element is a
/// key with its time.
struct StampMap: Lattice {
  /// A key's latest time.
  struct Entry: Equatable, Sendable {
    var key: Int
    var time: UInt64
  }

  /// In the order of their keys.
  private var entries: [Entry] = []

  init() {}

  init(keys: [Int], time: UInt64) {
    entries = keys.sorted().map { Entry(key: $0, time: time) }
  }

  func delta(of update: ExperimentUpdate, by node: Int) -> StampMap {
    guard case .stamp(let keys, let time) = update else { return StampMap() }
    return StampMap(keys: keys, time: time).inflation(over: self)
  }

  mutating func join(_ other: StampMap) {
    if entries.isEmpty {
      entries = other.entries
      return
    }
    var joined: [Entry] = []
    joined.reserveCapacity(entries.count + other.entries.count)
    entries.withUnsafeBufferPointer { mine in
      other.entries.withUnsafeBufferPointer { theirs in
        var (place, otherPlace) = (0, 0)
        while place < mine.count && otherPlace < theirs.count {
          let (entry, otherEntry) = (mine[place], theirs[otherPlace])
          if entry.key == otherEntry.key {
            joined.append(entry.time >= otherEntry.time ? entry : otherEntry)
            place += 1
            otherPlace += 1
          } else if entry.key < otherEntry.key {
            joined.append(entry)
            place += 1
          } else {
            joined.append(otherEntry)
            otherPlace += 1
          }
        }
        joined += mine[place...]
        joined += theirs[otherPlace...]
      }
    }
    entries = joined
  }

  func inflation(over other: StampMap) -> StampMap {
    var news = StampMap()
    entries.withUnsafeBufferPointer { mine in
      other.entries.withUnsafeBufferPointer { theirs in
        var place = 0
        for entry in mine {
          while place < theirs.count && theirs[place].key < entry.key { place += 1 }
          let isKnown =
            place < theirs.count && theirs[place].key == entry.key
            && theirs[place].time >= entry.time
          if !isKnown { news.entries.append(entry) }
        }
      }
    }
    return news
  }

  var parts: [StampMap] { entries.map { StampMap(keys: [$0.key], time: $0.time) } }

  var elementCount: Int { entries.count }

  var isBottom: Bool { entries.isEmpty }

  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(entries.count))
    var previous = Entry(key: 0, time: 0)
    for entry in entries {
      writer.write(signedVarint: Int64(entry.key - previous.key))
      writer.write(signedVarint: Int64(bitPattern: entry.time &- previous.time))
      previous = entry
    }
  }

  var reading: [UInt64: UInt64] {
    Dictionary(uniqueKeysWithValues: entries.map { (UInt64($0.key), $0.time) })
  }
}
