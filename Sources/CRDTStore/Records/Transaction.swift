public import CRDTKit

/// Changes of records that are committed together, or not at all.
///
/// It is given to the body of ``Store/write(_:_:)``. What the body has done is seen by
/// what it reads, and by nobody else before it is committed; if the body throws,
/// nothing has happened.
public struct Transaction: ~Copyable {
  /// The document as it was before; nobody else has it meanwhile.
  var document: Document
  let localRecords: LocalRecords
  let models: ModelRegistry
  /// The replica that writes.
  public let replica: ReplicaID

  /// Whether a server is asked at once.
  var isOnline = false

  /// What is going to be done, in order.
  var staged: [StagedChange] = []
  /// Where the last changes of a record are staged, and what they are changes of: `nil`
  /// for one that is new.
  var origins: [Document.RecordID: (place: Int, base: (any Replicated)?)] = [:]
  /// Records as they become.
  var records: [Document.RecordID: Outcome] = [:]
  /// Changes of what the store keeps for itself.
  var local: [LocalChange] = []
  /// Records kept here alone that come or go; `nil` for those that go.
  var localRecordChanges: [Document.RecordID: [String: Document.Value]?] = [:]

  /// What becomes of a record.
  enum Outcome {
    case present(any Replicated)
    /// Its fields are known, and not yet read as a model.
    case fields([String: Document.Value])
    case deleted
  }

  init(document: Document, localRecords: LocalRecords, models: ModelRegistry, replica: ReplicaID) {
    self.document = document
    self.localRecords = localRecords
    self.models = models
    self.replica = replica
  }
}
