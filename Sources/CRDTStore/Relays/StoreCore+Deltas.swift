import CRDTKit

extension StoreCore {
  /// What a document of this store knows and a version doesn't, with old segments
  /// where they make it shorter.
  func delta(
    of document: Document, since version: VersionVector
  ) throws(StoreError) -> TableDelta<Document> {
    guard !document.isLogWhole(since: version), hasHistory(since: version) else {
      return document.delta(since: version)
    }
    let history = try removalHistory(since: version)
    // Where more was removed than there is, a list of what there is is shorter.
    let isWorthIt = history.count <= document.table.rowCount
    let delta = isWorthIt ? document.delta(since: version, history: history) : nil
    return delta ?? document.delta(since: version)
  }
}
