extension Benchmark {
  /// Runs every row, in the order in which the table lists them.
  func addAll() throws {
    try addORSetMergeBenchmarks()
    try addORSetChangeBenchmarks()
    try addORSetDeltaBenchmarks()
    try addORSetCodingBenchmarks()
    try addORSetSizeBenchmarks()
    try addGSetBenchmarks()
    try addMergeMapMergeBenchmarks()
    try addMergeMapBenchmarks()
    try addMVRegisterBenchmarks()
    try addFlagBenchmarks()
    try addCounterBenchmarks()
    try addLWWRegisterBenchmarks()
    try addDocumentBenchmarks()
    try addDocumentEditBenchmarks()
    try addDocumentMergeBenchmarks()
    try addDocumentMapBenchmarks()
    try addDocumentMapMergeBenchmarks()
    try addDocumentMapDeltaBenchmarks()
    try addDocumentMapSizeBenchmarks()
    try addDocumentModelBenchmarks()
    try addSessionBenchmarks()
    try addStoreCommitBenchmarks()
    try addStoreOpeningBenchmarks()
    try addStoreRecordBenchmarks()
  }
}
