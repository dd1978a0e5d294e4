/// What a history is replayed as.
enum ReplayForm: String, CaseIterable {
  /// A map from paths to registers.
  case map
  /// A document with a record for each path.
  case document
}
