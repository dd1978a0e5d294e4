import CRDTKit
import CRDTStore
import Foundation
import Toolkit

extension Store.ClockWarning {
  /// What is odd about a store's clock, and the command that helps, as lines for people.
  func remarks(path: String) -> [String] {
    ["\(path): warning: \(sentence), with 'crdt-demo store restamp DIR'"]
  }
}

extension Store.MendedFork {
  /// What was mended, as a line for people.
  func remark(path: String) -> String {
    let events = events.counted("change")
    return "\(path): two places had written as replica \(replica): nothing is lost, what only "
      + "one of them had (\(events)) goes by the name of \(name) now"
  }
}

extension RecoveryReport {
  /// What was odd about a store, as lines for people.
  func remarks(path: String, replica: ReplicaID) -> [String] {
    var remarks: [String] = []
    if isCopy {
      let former = formerReplica.map { ", not \($0)" } ?? ""
      remarks.append(
        "\(path): this folder is a copy or a restored backup: "
          + "it writes as replica \(replica) now\(former)")
    }
    if bytesSetAside > 0 {
      let bytes = bytesSetAside.counted("byte")
      remarks.append("\(path): set aside \(bytes) at its end, no whole commit")
    }
    if isWritableByOthers {
      remarks.append(
        "\(path): other users of this machine may change its files: run 'chmod o-w' on the "
          + "folder, or 'chown' if it is somebody else's")
    }
    return remarks
  }

  /// What was odd about a store, as lines for people.
  func remarks(on store: Store) -> [String] {
    remarks(path: store.path, replica: store.replica)
      + (store.clockWarning?.remarks(path: store.path) ?? [])
  }
}

extension Store.LogEntry {
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

extension UInt64 {
  /// Milliseconds since 1970 as date and time in UTC.
  var momentText: String {
    // A clock of 48 bits, as stamps have, goes no further.
    let milliseconds = Swift.min(self, 1 << 48)
    return Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// How long ago a moment was, as people say it.
  func age(at now: UInt64) -> String {
    let seconds = (now - Swift.min(self, now)) / 1_000
    return switch seconds {
    case 0: "now"
    case ..<60: "\(seconds) s ago"
    case ..<3_600: "\(seconds / 60) min ago"
    case ..<172_800: "\(seconds / 3_600) h ago"
    default: "\((seconds / 86_400).counted("day")) ago"
    }
  }
}
