import CRDTKit

/// What became of operations that the server did not do, or not wholly: the latest of them.
///
/// All others that don't wait any more were done. Which of those before the latest were not
/// isn't known any more, so nothing is said of them.
struct OperationOutcomes: Sendable {
  /// How an operation ended.
  enum Ending: UInt8, Sendable {
    case superseded = 0
    case discarded = 1
  }

  private struct Entry: Sendable {
    var number: UInt64
    var id: OperationID
    var ending: Ending
    /// What was lost; all of it, if empty.
    var paths: [FieldPath]
  }

  /// How many are kept.
  static let countMax: UInt64 = 1_024
  private static let area = "outcome/"

  private var entries: [UInt64: Entry] = [:]
  private var numbers: [OperationID: [UInt64]] = [:]
  private var nextNumber: UInt64 = 0
  /// The events up to which operations have been forgotten.
  private var floor = VersionVector()

  /// Reads what is kept among local values.
  init(_ local: LocalValues) {
    for (key, value) in local where key.hasPrefix(Self.area) {
      guard let (entry, floor) = try? Self.decode(value) else { continue }
      add(entry)
      self.floor.merge(floor)
      nextNumber = max(nextNumber, entry.number + 1)
    }
  }

  private mutating func add(_ entry: Entry) {
    entries[entry.number] = entry
    numbers[entry.id, default: []].append(entry.number)
  }
}

extension OperationOutcomes {
  /// Notes how an operation, with the changes that it is about, has ended; gives what is to
  /// be kept.
  mutating func note(_ ending: Ending, _ operation: OutboxOperation) -> LocalChange {
    let number = nextNumber
    nextNumber += 1
    if number >= Self.countMax, let old = entries.removeValue(forKey: number - Self.countMax) {
      numbers[old.id]?.removeAll { $0 == old.number }
      if numbers[old.id]?.isEmpty == true { numbers[old.id] = nil }
      let replica = old.id.dot.replica
      floor[replica] = max(floor[replica], old.id.dot.counter)
    }
    let isWhole = operation.kind == .delete || ending == .discarded
    let entry = Entry(
      number: number, id: operation.id, ending: ending,
      paths: isWhole ? [] : operation.changes.map(\.path))
    add(entry)
    return LocalChange(
      key: "\(Self.area)\(number % Self.countMax)", value: Self.encode(entry, floor))
  }

  /// How an operation that doesn't wait any more has ended for a commit that changed some
  /// fields of its record, or what else it may be if these are none; `nil` where nothing is
  /// known against its having been done.
  func ending(of id: OperationID, changing paths: [FieldPath]) -> Ending? {
    let found = (numbers[id] ?? []).compactMap { entries[$0] }.filter { entry in
      entry.paths.isEmpty || paths.isEmpty
        || entry.paths.contains { lost in paths.contains { $0.isRelated(to: lost) } }
    }
    return found.last?.ending
  }

  /// Whether it isn't known any more how an operation has ended.
  func hasForgotten(_ id: OperationID) -> Bool {
    id.dot.counter <= floor[id.dot.replica] && numbers[id] == nil
  }
}

extension OperationOutcomes {
  private static func encode(_ entry: Entry, _ floor: VersionVector) -> [UInt8] {
    var writer = ByteWriter(capacity: 64)
    writer.write(varint: entry.number)
    entry.id.encode(to: &writer)
    writer.write(entry.ending.rawValue)
    entry.paths.map(\.names).encode(to: &writer)
    floor.encoded().encode(to: &writer)
    return writer.finish()
  }

  private static func decode(
    _ bytes: [UInt8]
  ) throws(DecodingFailure) -> (Entry, VersionVector) {
    var reader = ByteReader(bytes)
    let number = try reader.readVarint()
    let id = try OperationID(from: &reader)
    let start = reader.offset
    guard let ending = Ending(rawValue: try reader.readByte()), number < .max else {
      throw DecodingFailure(.invalidValue("how an operation has ended"), at: start)
    }
    let paths = try [[String]](from: &reader).map(FieldPath.init)
    let floor = try VersionVector(decoding: try [UInt8](from: &reader))
    return (Entry(number: number, id: id, ending: ending, paths: paths), floor)
  }
}

extension FieldPath {
  /// Whether one of the paths is, or leads to, the other.
  fileprivate func isRelated(to other: FieldPath) -> Bool {
    zip(names, other.names).allSatisfy { $0 == $1 }
  }
}
