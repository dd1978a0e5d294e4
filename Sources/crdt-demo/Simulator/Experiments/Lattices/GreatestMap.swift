import CRDTKit

/// The greatest number that each key was given; an element is a key with its number.
struct GreatestMap<Form: GreatestMapForm>: Lattice {
  /// A key's greatest number.
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

  func delta(of update: ExperimentUpdate, by node: Int) -> Self {
    switch update {
    case .insert: return Self()
    case .increment:
      let count = entries.first { $0.key == node }?.time ?? 0
      return Self(keys: [node], time: count + 1)
    case .stamp(let keys, let time): return Self(keys: keys, time: time).inflation(over: self)
    }
  }

  mutating func join(_ other: Self) {
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

  func inflation(over other: Self) -> Self {
    var news = Self()
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

  var elementCount: Int { entries.count }

  var isBottom: Bool { entries.isEmpty }

  func encode(to writer: inout ByteWriter) {
    writer.write(varint: UInt64(entries.count))
    var previous = (key: 0, time: 0 as UInt64)
    for entry in entries {
      Form.write(entry.key, entry.time, after: previous, to: &writer)
      previous = (entry.key, entry.time)
    }
  }

  var reading: [UInt64: UInt64] {
    Dictionary(uniqueKeysWithValues: entries.map { (UInt64($0.key), $0.time) })
  }
}

/// The bytes of an element of a ``GreatestMap``.
protocol GreatestMapForm: Sendable {
  static func write(
    _ key: Int, _ number: UInt64, after previous: (key: Int, time: UInt64),
    to writer: inout ByteWriter)
}

/// The latest time that each key was given: the experiments' `GMap`.
typealias StampMap = GreatestMap<StampForm>

enum StampForm: GreatestMapForm {
  static func write(
    _ key: Int, _ number: UInt64, after previous: (key: Int, time: UInt64),
    to writer: inout ByteWriter
  ) {
    writer.write(signedVarint: Int64(key - previous.key))
    writer.write(signedVarint: Int64(bitPattern: number &- previous.time))
  }
}

/// How often each node has counted: the experiments' `GCounter`.
typealias CountVector = GreatestMap<CountForm>

enum CountForm: GreatestMapForm {
  static func write(
    _ key: Int, _ number: UInt64, after previous: (key: Int, time: UInt64),
    to writer: inout ByteWriter
  ) {
    writer.write(fixed: ExperimentMessageFormat.identifier(of: key))
    writer.write(varint: number)
  }
}
