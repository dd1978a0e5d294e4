import CRDTKit

/// What a store holds at one moment, as far as readers see it.
struct StoreState {
  var document: Document
  /// The records kept in this store only, read from local values.
  var localRecords: LocalRecords
  /// The settings among the local values.
  var settings: LocalValues
}
