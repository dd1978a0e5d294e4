import CRDTKit
import CRDTStore
import Toolkit

extension StoreCommand {
  /// Writes fields of a record.
  static func put(
    _ edit: RecordEdit, readsInput: Bool, in folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    var edit = edit
    if readsInput {
      try CommandFailure.naming("-") { () throws(CommandFailure) in
        try edit.add(object: FileReader.read("-", sizeMax: RecordEdit.sizeMax))
        try edit.checkPaths()
      }
    }
    let edits = [edit]
    let record = edit.record
    let (refused, isRestored) = try writing(folder, &console) { (store) throws(CommandFailure) in
      let wasDeleted = store.document.deletion(of: record.record, in: record.collection) != nil
      let refused = try commit(edits, to: store)
      let isThere = store.document.contains(record.record, in: record.collection)
      return (refused, wasDeleted && isThere)
    }
    if isRestored {
      console.error(
        "\(record.record.shownAsName) in \(record.collection.shownAsName) had been deleted: "
          + "this has restored it, with the fields that it had")
    }
    return report(refused, &console)
  }

  /// Writes fields of records, as one commit.
  ///
  /// - Returns: What the rules gave way to, as lines for people.
  static func commit(
    _ edits: [RecordEdit], to store: Store
  ) throws(CommandFailure) -> [String] {
    let edits = edits.map { $0.keepingObjects(of: store.document) }
    let refused = try stored { () throws(StoreError) in
      try store.edit { edit in
        edits.map { RecordEdit($0.record, $0.apply(&edit)) }.filter { !$0.fields.isEmpty }
      }
    }
    let document = store.document
    // What was there already needn't be written.
    return refused.map { $0.removingKnown(to: document) }.flatMap { edit in
      edit.fields.map { line(for: $0, of: edit.record, in: document) }
    }
  }

  /// What a rule left in place of what should have been written.
  private static func line(
    for field: FieldEdit, of record: Document.RecordID, in document: Document
  ) -> String {
    let shown = document.value(of: field.path, of: record.record, in: record.collection)
    let rule = document.schema.collections[record.collection]?.rule(of: field.path)
    let value = shown.map { MergeReport.clipped(JSONValue($0).description) } ?? "absent"
    return "\(field.path.description.shownAsName) of \(record.record.shownAsName) in "
      + "\(record.collection.shownAsName) stays \(value)"
      + (rule.map { ", as its rule \($0) wants" } ?? "")
  }

  /// How many fields are named that were not written.
  private static let refusedMax = 20

  /// Says what was not written.
  static func report(_ refused: [String], _ console: inout Console) -> ExitStatus {
    for line in refused.prefix(refusedMax) { console.error(line) }
    if refused.count > refusedMax {
      console.error("and \((refused.count - refusedMax).counted("field")) more")
    }
    return refused.isEmpty ? .success : .negative
  }

  /// Shows a record, or one of its fields.
  static func get(
    _ record: Document.RecordID, _ field: FieldPath?, isOrphaned: Bool, in folder: String,
    _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    var document = try reading(folder) { (store) throws(CommandFailure) in store.document }
    let (name, collection) = (record.record, record.collection)
    if isOrphaned {
      // It reads as it would if it were restored, so it is: in this copy.
      guard let orphan = document.orphanedRecord(name, in: collection) else {
        return missing("orphaned record '\(name)' in '\(collection)'", &console)
      }
      document.edit(at: orphan.latestTimestamp) { $0.restore(orphan) }
    }
    guard let fields = document.fields(of: name, in: collection) else {
      return missing("record '\(name)' in '\(collection)'", &console)
    }
    guard let field else {
      console.write("\(JSONValue(Document.Value.object(fields)).indented)\n")
      return .success
    }
    guard let value = document.value(of: field, of: name, in: collection) else {
      return missing("field '\(field)' of '\(name)' in '\(collection)'", &console)
    }
    console.write("\(JSONValue(value).indented)\n")
    return .success
  }

  /// Shows the names of collections, or of a collection's records.
  static func list(
    _ collection: String?, _ listing: Listing, in folder: String,
    _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let document = try reading(folder) { (store) throws(CommandFailure) in store.document }
    let names =
      switch (collection, listing) {
      case (let collection?, .deleted): document.deletedRecords(in: collection)
      case (let collection?, .present): document.records(in: collection)
      case (let collection?, .orphaned): document.orphanedNames(in: collection)
      case (nil, .deleted):
        document.collectionsEverUsed.filter { !document.deletedRecords(in: $0).isEmpty }
      case (nil, .orphaned):
        document.collectionsEverUsed.filter { !document.orphanedNames(in: $0).isEmpty }
      case (nil, .present): document.collections
      }
    for name in names { console.write(name.shownAsName + "\n") }
    return .success
  }

  static func delete(
    _ record: Document.RecordID, in folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let isDone = try edit(folder, &console) { $0.delete(record.record, in: record.collection) }
    return isDone
      ? .success : missing("record '\(record.record)' in '\(record.collection)'", &console)
  }

  /// Brings back a deleted record, or what is left of one that was purged.
  static func restore(
    _ record: Document.RecordID, in folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let orphan = try orphan(record, in: folder)
    let isDone = try edit(folder, &console) { edit in
      if let orphan { return edit.restore(orphan) }
      return edit.restore(record.record, in: record.collection)
    }
    return isDone
      ? .success : missing("deleted record '\(record.record)' in '\(record.collection)'", &console)
  }

  /// Removes what is left of a record that was purged.
  static func discard(
    _ record: Document.RecordID, in folder: String, _ console: inout Console
  ) throws(CommandFailure) -> ExitStatus {
    let orphan = try orphan(record, in: folder)
    let isDone = try edit(folder, &console) { edit in
      if let orphan { return edit.discard(orphan) }
      return false
    }
    return isDone
      ? .success
      : missing("orphaned record '\(record.record)' in '\(record.collection)'", &console)
  }

  private static func orphan(
    _ record: Document.RecordID, in folder: String
  ) throws(CommandFailure) -> Document.OrphanedRecord? {
    try reading(folder) { (store) throws(CommandFailure) in
      store.document.orphanedRecord(record.record, in: record.collection)
    }
  }

  private static func edit(
    _ folder: String, _ console: inout Console, _ body: (inout Document.Editor) -> Bool
  ) throws(CommandFailure) -> Bool {
    try writing(folder, &console) { (store) throws(CommandFailure) in
      try stored { () throws(StoreError) in try store.edit(.full, body) }
    }
  }

  private static func missing(_ what: String, _ console: inout Console) -> ExitStatus {
    console.error("there is no \(what)")
    return .negative
  }
}

extension Document {
  /// The names of a collection's records that were purged and of which something is left,
  /// in the order of their bytes.
  ///
  /// - Complexity: O(rows).
  fileprivate func orphanedNames(in collection: String) -> [String] {
    let orphans = orphanedRecords.filter {
      RecordID($0.record, in: $0.collection) == RecordID($0.record, in: collection)
    }
    return orphans.map(\.record).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names of the collections that have records, deleted ones too, or rows that
  /// are left of such, in the order of their bytes.
  ///
  /// - Complexity: O(rows).
  var collectionsEverUsed: [String] {
    var names: Set<String> = []
    var last = ""
    _table.forEachRow { _, row in
      let name = row.key.record.collection
      guard names.isEmpty || !name.utf8.elementsEqual(last.utf8) else { return }
      last = name
      names.insert(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension String {
  /// The text as a name on a line of its own: in quotation marks where it would be
  /// unclear otherwise, or act on a terminal.
  var shownAsName: String {
    let quoted = jsonQuoted
    let isPlain = quoted.utf8.count == utf8.count + 2 && !utf8.isEmpty
    return isPlain && utf8.first != UInt8(ascii: " ") && utf8.last != UInt8(ascii: " ")
      ? self : quoted
  }
}
