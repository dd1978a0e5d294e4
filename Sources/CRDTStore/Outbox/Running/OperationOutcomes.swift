import CRDTKit

/// The latest outcomes of operations that the server did not apply completely.
///
/// All other operations that are no longer pending were applied. The outcomes of earlier
/// operations are forgotten and unknown.
struct OperationOutcomes: Sendable {
  /// How an operation ended.
  enum Ending: UInt8, Sendable {
    case superseded = 0
    case discarded = 1
  }

  private struct Entry: Sendable {
    var number: UInt64
    var id: Outbox.OperationID
    var ending: Ending
    /// The paths that were lost; all if empty.
    var paths: [FieldPath]
  }

  /// The number of outcomes that are kept.
  static let countMax: UInt64 = 1_024
  private static let area = "outcome/"

  private var entries: [UInt64: Entry] = [:]
  private var numbers: [Outbox.OperationID: [UInt64]] = [:]
  private var nextNumber: UInt64 = 0
  /// The events up to which operations have been forgotten.
  private var floor = VersionVector()

  /// Reads the stored outcomes from local values.
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
  /// Records how an operation with the given changes has ended.
  ///
  /// Returns the values to store.
  mutating func note(_ ending: Ending, _ operation: Outbox.Operation) -> LocalChange {
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

  /// How a finished operation has ended for a commit that changed these fields of its
  /// record, or the record as a whole if there are none; `nil` if nothing contradicts that
  /// it was applied.
  func ending(of id: Outbox.OperationID, changing paths: [FieldPath]) -> Ending? {
    let found = (numbers[id] ?? []).compactMap { entries[$0] }.filter { entry in
      entry.paths.isEmpty || paths.isEmpty
        || entry.paths.contains { lost in paths.contains { $0.isRelated(to: lost) } }
    }
    return found.last?.ending
  }

  /// Whether the outcome of an operation is forgotten.
  func hasForgotten(_ id: Outbox.OperationID) -> Bool {
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
    let id = try Outbox.OperationID(from: &reader)
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
  /// Whether the paths are equal, or one contains the other.
  func isRelated(to other: FieldPath) -> Bool {
    zip(names, other.names).allSatisfy { $0 == $1 }
  }
}
