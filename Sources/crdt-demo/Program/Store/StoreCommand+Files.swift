import CRDTKit
import CRDTStore
import Toolkit

extension StoreCommand {
  /// Creates a store.
  static func initialize(
    _ folder: String, schema path: String?, replica: ReplicaID?, document: String?,
    _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    var schema: Schema?
    if let path {
      schema = try CommandFailure.naming(path) { () throws(CommandFailure) in
        try Schema(parsing: FileReader.read(path, sizeMax: Schema.sizeMax))
      }
    }
    guard try !isThere(folder) else {
      throw CommandFailure(StoreError.alreadyExists(path: folder).description)
    }
    var options = Store.Options.standard
    if let replica { options.makeReplica = { replica } }
    options.documentID = document.map { DocumentID($0) ?? DocumentID(named: $0) }
    let own = try withStore(folder, options, schema: schema) { (store) throws(CommandFailure) in
      store.replica
    }
    console.write("replica \(own)\n")
    return .success
  }

  /// Whether there is a store in a folder, which opening it would show.
  private static func isThere(_ folder: String) throws(CommandFailure) -> Bool {
    var options = Store.Options.standard
    options.access = .readOnly
    do throws(StoreError) {
      try Store.open(at: folder, options: options).close()
      return true
    } catch {
      if error == .notFound(path: folder) { return false }
      throw CommandFailure(error.description)
    }
  }

  /// Shows what the store holds, and what its peers lack.
  static func status(
    of folder: String, isJSON: Bool, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let status = try reading(folder) { (store) throws(CommandFailure) in
      StoreStatus(of: store, milliseconds: SystemClock().milliseconds)
    }
    console.write(isJSON ? "\(status.json)\n" : status.text(styled: console.styled))
    return .success
  }

  /// Shows the changes that the log holds.
  static func log(
    of folder: String, isJSON: Bool, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let entries = try stored { () throws(StoreError) in try Store.log(at: folder) }
    for entry in entries { console.write((isJSON ? entry.json.description : entry.line) + "\n") }
    return .success
  }

  /// Reads and checks every byte of the store.
  static func verify(
    _ folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let report = try stored { () throws(StoreError) in try Store.verify(at: folder) }
    for finding in report.findings { console.write("\(finding)\n") }
    if report.bytesUnfinished > 0 {
      console.write(
        "\(report.bytesUnfinished.counted("byte")) at the end are no whole commit: they were being "
          + "written when the store was last open, and were never acknowledged\n")
    }
    let verdict = report.isSound ? "sound" : "damaged in \(report.findings.count.counted("place"))"
    console.write(
      console.styled(report.isSound ? .green : .red, verdict)
        + ": \(report.filesRead.counted("file")), \(report.bytesRead.counted("byte")), "
        + "\(report.changesRead.counted("change"))\n")
    if let document = report.documentID { console.write("document \(document)\n") }
    return report.isSound ? .success : .negative
  }

  /// Saves what is whole of a damaged store.
  static func salvage(
    _ folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let report = try stored { () throws(StoreError) in try Store.salvage(at: folder) }
    if report.findings.isEmpty { console.write("nothing is wrong, and nothing was done\n") }
    for finding in report.findings { console.write("damaged: \(finding)\n") }
    if report.batchesUnreadable > 0 {
      console.write("\(report.batchesUnreadable.counted("write")) behind damage can't be read\n")
    }
    if report.isSchemaLost { console.write("the schema is lost: open the store with it\n") }
    for path in report.filesSetAside { console.write("set aside: \(path.visible)\n") }
    console.write(
      "saved: \(report.records.counted("record")); \(report.changesTaken.counted("change")) taken "
        + "from the log, \(report.changesWrittenAnew.grouped) written anew, of which "
        + "\(report.changesIncomplete.grouped) in part\n"
        + "replica \(report.replica)\n")
    return .success
  }

  /// Writes a snapshot, and removes what it makes needless.
  static func compact(
    _ folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let (before, after) = try writing(folder, &console) { (store) throws(CommandFailure) in
      let before = store.statistics
      try stored { () throws(StoreError) in try store.compact() }
      return (before, store.statistics)
    }
    console.write("\(before.bytes.counted("byte")) before, \(after.bytes.grouped) after\n")
    return .success
  }
}

extension Store.Statistics {
  /// The bytes of all files.
  var bytes: Int { segmentBytes + snapshotBytes }
}

extension StoreCommand {
  /// Writes anew what is stamped in the future.
  static func restamp(
    _ folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let report = try writing(folder, &console) { (store) throws(CommandFailure) in
      try stored { () throws(StoreError) in try store.restampFutureWrites() }
    }
    console.write(
      report.valuesWritten == 0
        ? "no stamp is ahead of the clock that can be written anew here\n"
        : "wrote \(report.valuesWritten.counted("value")) of "
          + "\(report.records.count.counted("record")) with stamps of now\n")
    for (replica, count) in report.countsLeft.sorted(by: { $0.key < $1.key }) {
      console.error(
        "\(folder): \(count.counted("count")) of replica \(replica) can be written anew only there")
    }
    return report.isComplete ? .success : .negative
  }
}
