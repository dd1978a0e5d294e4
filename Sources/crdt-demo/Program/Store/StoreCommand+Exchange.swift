import CRDTKit
import CRDTStore
import Toolkit

extension StoreCommand {
  /// How many bytes of JSON make a commit at least, where there are more: so much is in
  /// memory at once.
  static let importBytes = 8 << 20

  /// Takes in what JSON describes, in one commit or several; what the store shows already
  /// isn't written again, and what isn't named stays.
  ///
  /// What can be read twice is wholly looked through before anything is written.
  static func take(
    _ file: String, into folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    var reader = try recordReader(file)
    var edits = try nextEdits(&reader, of: file)
    let isChecked = reader.isAtEnd ? true : try check(file)
    let refused = try writing(folder, &console) { (store) throws(CommandFailure) in
      var refused: [String] = []
      while !edits.isEmpty {
        refused += try commit(new(edits, to: store.document), to: store)
        do throws(CommandFailure) { edits = try nextEdits(&reader, of: file) } catch {
          throw isChecked
            ? error : CommandFailure("\(error); the records before that were taken in")
        }
      }
      return refused
    }
    return report(refused, &console)
  }

  private static func recordReader(_ file: String) throws(CommandFailure) -> JSONRecordReader {
    let pieces = try CommandFailure.naming(file) { () throws(CommandFailure) in
      try FilePieces(file)
    }
    return JSONRecordReader { (bytes) throws(CommandFailure) in try pieces.read(onto: &bytes) }
  }

  /// The records that are next, for one commit; none at the end.
  private static func nextEdits(
    _ reader: inout JSONRecordReader, of file: String
  ) throws(CommandFailure) -> [RecordEdit] {
    try CommandFailure.naming(file) { () throws(CommandFailure) in
      var edits: [RecordEdit] = []
      let start = reader.bytesRead
      while reader.bytesRead - start < importBytes, let record = try reader.next() {
        edits.append(RecordEdit(record.id, FieldEdit.merging(record.fields)))
      }
      return edits
    }
  }

  /// Reads a file to its end, if that can be done again.
  private static func check(_ file: String) throws(CommandFailure) -> Bool {
    let facts = try CommandFailure.naming(file) { () throws(CommandFailure) in
      do throws(Syscalls.Failure) { return file == "-" ? nil : try Syscalls.facts(of: file) } catch
      {
        throw CommandFailure(error.reason)
      }
    }
    guard facts?.isRegular == true else { return false }
    var reader = try recordReader(file)
    try CommandFailure.naming(file) { () throws(CommandFailure) in
      while try reader.next() != nil {}
    }
    return true
  }

  /// The edits that change something.
  private static func new(_ edits: [RecordEdit], to document: Document) -> [RecordEdit] {
    edits.compactMap { edit in
      let new = edit.removingKnown(to: document)
      let isThere = document.contains(edit.record.record, in: edit.record.collection)
      return new.fields.isEmpty && isThere ? nil : new
    }
  }

  /// How many bytes of text are written at once.
  private static let exportBytes = 1 << 18

  /// Writes all that the store shows as JSON, of which little is in memory at a time.
  static func export(
    _ folder: String, to output: String?, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let document = try reading(folder) { (store) throws(CommandFailure) in store.document }
    guard let output else {
      do throws(Syscalls.Failure) { try write(document, to: 1) } catch {
        throw CommandFailure("write error: \(error.reason)")
      }
      return .success
    }
    try CommandFailure.naming(output) { () throws(CommandFailure) in
      try FileWriter.write(to: output) { (descriptor) throws(Syscalls.Failure) in
        try write(document, to: descriptor)
      }
    }
    return .success
  }

  private static func write(
    _ document: Document, to descriptor: Int32
  ) throws(Syscalls.Failure) {
    var bytes: [UInt8] = []
    try document.writeJSON { (text) throws(Syscalls.Failure) in
      bytes += text.utf8
      guard bytes.count >= exportBytes else { return }
      try FileWriter.writeAll(descriptor, bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try FileWriter.writeAll(descriptor, bytes)
  }
}
