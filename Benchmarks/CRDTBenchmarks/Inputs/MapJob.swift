import CRDTKit

/// One record with many fields, each a short text: a map of keys of 10 bytes and
/// values of 7, as the peers' benchmark makes it too.
struct MapJob {
  static let collection = "maps"
  static let record = "m"

  /// How many keys there are.
  let count: Int
  private let keys: [String]
  private let values: [String]

  /// Keys in ascending order, or in one that nothing can guess.
  init(_ count: Int, isShuffled: Bool = false) {
    self.count = count
    let numbers = isShuffled ? Elements.shuffled(count) : Array(0..<count)
    keys = numbers.map(Elements.key)
    values = numbers.map { Elements.mixedText($0) }
  }

  /// The keys that come after those, and their values.
  init(after other: MapJob) {
    count = other.count
    keys = (count..<2 * count).map(Elements.key)
    values = (count..<2 * count).map { Elements.mixedText($0) }
  }

  /// The same keys, with other values.
  init(overwriting other: MapJob, round: Int) {
    count = other.count
    keys = other.keys
    values = (0..<count).map { Elements.mixedText($0 + 2 * round * other.count) }
  }

  /// A key that is there.
  var known: String { keys[count / 2] }
}

extension MapJob {
  /// Writes all keys in one edit.
  func write(to document: inout Document, by replica: ReplicaID, round: Int = 0) {
    document.edit(at: .of(replica, round: round)) { edit in
      for (key, value) in zip(keys, values) { edit.set(key, to: value) }
    }
  }

  /// Removes all keys in one edit.
  func clear(_ document: inout Document, by replica: ReplicaID) {
    document.edit(at: .of(replica, round: 1)) { edit in
      for key in keys { edit.remove([key], of: MapJob.record, in: MapJob.collection) }
    }
  }

  /// Writes all keys one by one.
  func write(to dictionary: inout [String: String]) {
    for (key, value) in zip(keys, values) { dictionary[key] = value }
  }

  func document(by replica: ReplicaID = .author) -> Document {
    var document = Document()
    write(to: &document, by: replica)
    return document
  }

  func dictionary() -> [String: String] {
    var dictionary: [String: String] = [:]
    write(to: &dictionary)
    return dictionary
  }

  /// A document as it is in use: in storage of its own, with its index built.
  func indexed(decoding bytes: [UInt8]) throws -> Document {
    let document = try Document(decoding: bytes)
    blackHole(document.text(of: known))
    return document
  }
}

extension Document.Editor {
  /// Writes one key of the map.
  mutating func set(_ key: String, to value: String) {
    set([key], of: MapJob.record, in: MapJob.collection, to: .string(value))
  }
}

extension Document {
  /// How many keys the map has.
  var mapSize: Int { fieldCount(of: MapJob.record, in: MapJob.collection) }

  /// The value of one key of the map.
  func text(of key: String) -> Document.Value? {
    value(of: [key], of: MapJob.record, in: MapJob.collection)
  }
}
