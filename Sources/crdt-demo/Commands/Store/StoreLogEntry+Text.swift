import CRDTKit
import CRDTStore

extension StoreLogEntry {
  /// How many records and writers are named on a line.
  private static let namesMax = 4

  /// The change on one line: when it was made, where it stands, by whom it is, and
  /// of which records it has values.
  var line: String {
    let writers = version.map { "\($0.replica):\($0.counter)" }
    let names = records.sorted().map {
      "\($0.collection.shownAsName)/\($0.record.shownAsName)"
    }
    return "\(milliseconds.momentText)  \(segment):\(offset)  \(batchBytes.counted("byte"))  "
      + "\(Self.list(writers))  \(Self.list(names))"
  }

  private static func list(_ names: [String]) -> String {
    if names.isEmpty { return "-" }
    let more = names.count > namesMax ? " and \((names.count - namesMax).grouped) more" : ""
    return names.prefix(namesMax).joined(separator: " ") + more
  }

  /// The change for machines.
  var json: JSONValue {
    .object([
      ("time", .string(milliseconds.momentText)), ("segment", .unsigned(segment)),
      ("offset", .integer(offset)), ("batchBytes", .integer(batchBytes)),
      ("version", .object(version.map { ($0.replica.description, .unsigned($0.counter)) })),
      (
        "records",
        .array(
          records.sorted().map {
            .object([("collection", .string($0.collection)), ("record", .string($0.record))])
          })
      ),
    ])
  }
}
