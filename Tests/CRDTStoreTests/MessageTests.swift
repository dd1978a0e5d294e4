import CRDTKit
import CRDTStore
import Testing

@Suite("What errors and findings say of names that others chose")
struct MessageTests {
  private static let evil = "/relay/\u{1B}]0;owned\u{7}\u{202E}txt.\n\u{200B}"

  @Test("names of files are quoted, and nothing in them acts on a terminal")
  func paths() {
    let path = Self.evil
    let system = SystemError("open", code: 5)
    let reasons: [FolderRelay.Finding.Reason] = [
      .unknown, .incomplete, .damaged("x\u{9B}"), .sealed, .notSealed,
      .otherDocument(DocumentID(high: 1, low: 2)), .unreadable(system),
      .refused(.damaged(path: path, offset: 1, reason: path)), .differentContents,
    ]
    for reason in reasons { check("\(FolderRelay.Finding(path: path, reason: reason))") }
    let document = DocumentID(high: 1, low: 2)
    let errors: [StoreError] = [
      .notFound(path: path), .alreadyExists(path: path), .locked(path: path),
      .readOnly(path: path), .closed(path: path), .system(system, path: path),
      .stopped(system, path: path), .damaged(path: path, offset: 0, reason: "x"),
      .newerFormat(path: path, version: 9), .sealed(path: path), .notSealed(path: path),
      .wrongKey(path: path),
      .sealing(.notAuthentic, path: path),
      .otherDocument(path: path, found: document, expected: document),
      .severalDocuments(path: path, found: []),
      .migrationFailed(from: 1, to: 2, reason: path),
    ]
    for error in errors { check("\(error)") }
  }

  @Test("so are names of records, and what a server says")
  func records() {
    let (name, record) = (Self.evil, Document.RecordID(Self.evil, in: Self.evil))
    let path = FieldPath([name])
    let errors: [RecordError] = [
      .unknownModel(collection: name), .notFound(record), .alreadyExists(record),
      .renamed(record, to: name), .readOnly(collection: name), .onlineOnly(collection: name),
      .counterOverflow(record, path), .draftCommitted(record), .noOrphan(record),
      .noConflict(record, path),
    ]
    for error in errors { check("\(error)") }
    check("\(RecordError.Violation.invalid(record: name, reason: name))")
    check("\(RecordError.Violation.duplicate(field: name, records: [name, name]))")
    check("\(RecordError.Violation.unreadable(record: name, reason: name))")
    check("\(RemoteError(.serverRejected, name))")
  }

  private func check(_ text: String) {
    #expect(!text.hasHidden && text.contains("\\u{"), "\(text.visible)")
  }
}
