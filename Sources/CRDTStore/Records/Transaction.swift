public import CRDTKit

/// Changes of records that are committed together, or not at all.
///
/// It is given to the body of ``Store/write(_:_:)``. What the body has done is seen by
/// what it reads, and by nobody else before it is committed; if the body throws,
/// nothing has happened.
public struct Transaction: ~Copyable {
  /// The store, which the transaction alone uses meanwhile, but for readers in its body.
  let core: StoreCore
  /// The replica that writes.
  public let replica: ReplicaID

  /// Whether a server is asked at once.
  var isOnline = false

  /// What is going to be done, in order.
  var staged: [StagedChange] = []
  /// The last changes of records, where those that follow can be made one with them.
  var origins: [Document.RecordID: Origin] = [:]
  /// Records as they become.
  var records: [Document.RecordID: Outcome] = [:]
  /// Changes of what the store keeps for itself.
  var local: [LocalChange] = []
  /// Records kept here alone that come or go; `nil` for those that go.
  var localRecordChanges: [Document.RecordID: [String: Document.Value]?] = [:]
  /// Whether records that came or went are among those that all share.
  var sharing: [Document.RecordID: Bool] = [:]
  /// Whether the drafts that are committed with this were committed.
  var drafts: [Locked<Bool>] = []
  /// What drafts and undos would have written, and could not.
  var omissions: [Receipt.Omission] = []
  /// The commits that are undone by this.
  var undone: [Dot] = []
  /// What there was, `nil` if it was as in the document, before a record was deleted.
  var outcomesBeforeDeletion: [Document.RecordID: Outcome?] = [:]

  /// What the last changes of a record are changes of.
  struct Origin {
    /// Where they are staged.
    var place: Int
    /// The record before them; `nil` for one that is new.
    var base: (any Replicated)?
    /// The type that it is read and changed as.
    var type: any Replicated.Type
  }

  /// What becomes of a record.
  enum Outcome {
    case present(any Replicated)
    /// Its fields are known, and not yet read as a model.
    case fields([String: Document.Value])
    case deleted
  }

  init(_ core: StoreCore, isOnline: Bool) {
    self.core = core
    self.isOnline = isOnline
    replica = core.identity.replica
  }
}

extension Transaction {
  /// The document as it was before: the store's own, so that indexes are made where they
  /// are kept.
  var document: Document {
    _read { yield core.working }
    nonmutating _modify { yield &core.working }
  }

  var localRecords: LocalRecords { core.localRecords }
  var models: ModelRegistry { core.options.models }
}
