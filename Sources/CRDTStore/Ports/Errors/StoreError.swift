public import CRDTKit

/// Why an operation of a store failed.
///
/// No error loses an acknowledged commit.
@nonexhaustive
public enum StoreError: Error, Hashable, Sendable {
  /// There is no store in the folder.
  case notFound(path: String)
  /// The folder contains something other than a store, or, for a backup, is not empty.
  case alreadyExists(path: String)
  /// Another process, or another part of this one, has the store open.
  case locked(path: String)
  /// The store was opened for reading only, or is on a disk that can't be written.
  case readOnly(path: String)
  /// The store was closed.
  case closed(path: String)
  /// The body of a write called a changing method of the store: use the transaction
  /// instead.
  case writing(path: String)
  /// An edit made a change of a collection that its model's ``ServerAccess`` forbids.
  case refused(RecordError)

  /// A system call failed: the call's name and the error code.
  case system(SystemError, path: String)
  /// The store has stopped accepting commits, because a write failed. Reopen it: it then
  /// holds all acknowledged commits.
  case stopped(SystemError, path: String)

  /// A file is damaged, at an offset.
  ///
  /// ``Store/salvage(at:options:)`` recovers the undamaged parts.
  case damaged(path: String, offset: Int, reason: String)
  /// A file has a newer format than this version of the package knows.
  case newerFormat(path: String, version: UInt8)
  /// The store, or a relay's folder, is sealed, and it was opened without a sealing.
  ///
  /// Nothing was changed, except that unsealed files may have been merged: set
  /// ``Store/Options/sealing``, ``BlobStore/Options/sealing`` or ``FolderRelay/Options/sealing``;
  /// see ``FolderRelay/Options/publishesBesideSealed`` too.
  case sealed(path: String)
  /// The store isn't sealed, or not completely, and it was opened with a sealing.
  ///
  /// Nothing was changed. If an earlier version of your app wrote it without sealing, set
  /// ``Store/Options/adoptsUnsealedFiles`` or ``BlobStore/Options/adoptsUnsealedFiles``.
  case notSealed(path: String)
  /// A file is sealed with another key than the one that was given, or it was forged.
  ///
  /// The file is certainly not damaged by accident. Nothing was changed.
  case wrongKey(path: String)
  /// Bytes could not be sealed or opened, for a reason unrelated to the bytes, for example
  /// because the key is not available now.
  case sealing(SealingError, path: String)
  /// A store or a relay's folder belongs to another document than expected. They were
  /// created independently, and nothing was changed.
  ///
  /// If they belong together, see ``Store/join(document:)``.
  case otherDocument(path: String, found: DocumentID, expected: DocumentID)
  /// A relay's folder contains files of several documents, and the store belongs to none of
  /// them yet: you must choose one.
  ///
  /// Create it with ``Store/Options/documentID``, or see ``Store/join(document:)``.
  case severalDocuments(path: String, found: [DocumentID])
  /// A collection with a counter is synced with a server, so it must not be synced with
  /// peers too: changes that arrive by both would be counted twice. Nothing was exchanged.
  ///
  /// Give the field another rule, sync by the server alone, or keep the counter in a model
  /// without a server (``ServerAccess/peersOnly``).
  case countedTwice(collection: String, field: FieldPath)
  /// The records were migrated to a newer version of the schema than the app's.
  case newerSchema(found: UInt64, supported: UInt64)

  /// The app's migration of the records threw an error. Nothing was changed.
  case migrationFailed(from: UInt64, to: UInt64, reason: String)

  /// The files of a store or of a blob class have reached their limit: delete data, compact
  /// the store, or raise the limit.
  case storageLimit(bytes: Int, max: Int)
  /// The disk has less free space than needed.
  case noSpace(free: Int, needed: Int)
  /// A value is too large for one commit, a blob for its class, or a file for a relay.
  case tooLarge(bytes: Int, max: Int)

  /// A delta was not applied.
  case delta(DeltaError)
  /// A stamp is too far ahead of the local clock.
  case clockDrift(HybridLogicalClock.DriftError)
}

extension StoreError: CustomStringConvertible {
  /// A sentence that says what is wrong, where, and what to do.
  public var description: String {
    switch self {
    case .notFound(let path): "there is no store in '\(path.visible)': create one first"
    case .alreadyExists(let path):
      "there is something in '\(path.visible)' already: choose a folder that is empty, or isn't there"
    case .locked(let path): "the store in '\(path.visible)' is open already: close it there first"
    case .readOnly(let path): "the store in '\(path.visible)' can only be read here"
    case .writing(let path):
      "the store in '\(path.visible)' can't be changed within the body of a write: use its transaction"
    case .refused(let error): error.description
    case .closed(let path): "the store in '\(path.visible)' was closed: open it again"
    case .system(let error, let path):
      "\(error.call) failed for '\(path.visible)': \(error.reason)"
        + (error.isOtherKind || error.isNoFile
          ? "; something else stands there: move it away" : "")
    case .stopped(let error, let path):
      "the store takes no more commits since \(error.call) failed for '\(path.visible)' "
        + "(\(error.reason)): open it again"
    case .damaged(let path, let offset, let reason):
      "'\(path.visible)' is damaged at byte \(offset): \(reason.visible); salvage the store to save what is whole"
    case .newerFormat(let path, let version):
      "'\(path.visible)' is of format version \(version), which this version of CRDTStore can't read"
    case .sealed(let path):
      "what is in '\(path.visible)' is sealed: open it with the sealing that it was written with"
    case .notSealed(let path):
      "what is in '\(path.visible)' isn't sealed, and should be: if it is the app's own from before it "
        + "sealed anything, open it with 'adoptsUnsealedFiles'"
    case .wrongKey(let path):
      "'\(path.visible)' can't be opened: it was sealed with another key, or is forged; "
        + "open it with the key that it was written with"
    case .sealing(let error, let path): "'\(path.visible)' can't be sealed or opened: \(error)"
    case .otherDocument(let path, let found, let expected):
      "what is in '\(path.visible)' is of document \(found), and should be of \(expected): choose another "
        + "folder, or join the two documents if they belong together"
    case .severalDocuments(let path, let found):
      "in '\(path.visible)' are files of several documents (\(found.map(\.description).joined(separator: ", "))), "
        + "and the store is empty: say which of them it is to have, or choose another folder"
    case .countedTwice(let collection, let field):
      "the counter '\(field.description.visible)' of '\(collection.visible)' goes to a server, and would "
        + "count twice beside peers: give the field another rule, sync by the server alone, or keep "
        + "the counter in a model without a server"
    case .newerSchema(let found, let supported):
      "the records are at schema version \(found), and this app knows \(supported): update the app"
    case .migrationFailed(let from, let to, let reason):
      "the records can't be brought from schema version \(from) to \(to): \(reason.visible)"
    case .storageLimit(let bytes, let max):
      "what is kept takes \(bytes) bytes, and the limit is \(max): delete some of it, compact it "
        + "if it is a store of records, or raise the limit"
    case .noSpace(let free, let needed):
      "\(needed) bytes are needed, and the disk has \(free) free: make room"
    case .tooLarge(let bytes, let max):
      "\(bytes) bytes at once are more than the \(max) that fit: put fewer in at once"
    case .delta(let error): error.description
    case .clockDrift(let error): "\(error)"
    }
  }
}

extension StoreError {
  /// Creates the error of a file that could not be decoded.
  init(_ failure: DecodingFailure, path: String, at start: Int = 0) {
    if case .unsupportedVersion(let version) = failure.reason {
      self = .newerFormat(path: path, version: version)
    } else {
      self = .damaged(path: path, offset: start + failure.offset, reason: "\(failure.reason)")
    }
  }
}

extension StoreError {
  /// Something that is no file has a file's name.
  static func noFile(at path: String) -> StoreError {
    .damaged(
      path: path, offset: 0, reason: "a folder, link, pipe or device stands in the file's place")
  }

  /// Something that is no folder has a folder's name.
  static func noFolder(at path: String) -> StoreError {
    .damaged(
      path: path, offset: 0, reason: "a file or link stands in the folder's place: move it away")
  }

  /// Whether a file is damaged, given that the key is right, or that there is none, and
  /// that the store's format is known.
  var isDamage: Bool {
    switch self {
    case .damaged, .wrongKey, .sealed, .newerFormat: true
    default: false
    }
  }
}

extension StoreError {
  /// Whether one file is damaged, or the system does not allow reading it: then others can
  /// still be read.
  var concernsOneFile: Bool {
    if case .system(let cause, _) = self { cause.forbidsReading } else { isDamage }
  }

  /// The call that ran out of disk space, if that is the error.
  var lackOfSpace: (SystemError, path: String)? {
    switch self {
    case .system(let cause, let path), .stopped(let cause, let path):
      cause.isOutOfSpace ? (cause, path) : nil
    default: nil
    }
  }
}
