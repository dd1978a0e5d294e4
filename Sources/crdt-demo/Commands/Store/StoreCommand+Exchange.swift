import CRDTKit
import CRDTStore

extension StoreCommand {
  /// Writes all that the store shows as JSON.
  static func export(
    _ folder: String, to output: String?, _ console: inout Console
  ) throws(Trouble) -> ExitStatus {
    let document = try reading(folder) { (store) throws(Trouble) in store.document }
    let text = "\(document.json.indented)\n"
    guard let output else {
      console.write(text)
      return .success
    }
    try named(output) { () throws(Trouble) in
      try FileWriter.write(Array(text.utf8), to: output)
    }
    return .success
  }

  /// Takes in what JSON describes, as one commit; what the store shows already isn't
  /// written again, and what isn't named stays.
  static func take(
    _ file: String, into folder: String, _ console: inout Console
  ) throws(Trouble) -> ExitStatus {
    let edits = try named(file) { () throws(Trouble) in
      try recordEdits(parsing: FileReader.read(file, sizeMax: JSONText.sizeMax))
    }
    let refused = try writing(folder, &console) { (store) throws(Trouble) in
      let document = store.document
      let new = edits.compactMap { edit -> RecordEdit? in
        let new = edit.removingKnown(to: document)
        let isThere = document.contains(edit.record.record, in: edit.record.collection)
        return new.fields.isEmpty && isThere ? nil : new
      }
      return try commit(new, to: store)
    }
    return report(refused, &console)
  }

  private static func recordEdits(parsing bytes: [UInt8]) throws(Trouble) -> [RecordEdit] {
    let value: Document.Value
    do throws(JSONFailure) {
      value = try JSONText(parsing: bytes).documentValue()
    } catch {
      throw Trouble("\(error)")
    }
    return try Document.records(in: value).map { record, fields in
      let members = Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
      return RecordEdit(record, FieldEdit.merging(members))
    }
  }
}
