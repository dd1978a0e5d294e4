import CRDTKit

extension StoreCore {
  /// Refuses an exchange with peers where a server is told of counters, or tells of them.
  ///
  /// A server's total doesn't say whose counts are in it: a peer's count would come by the
  /// peer and by the server, and be counted twice. The monitor is held.
  func checkCountsOnce() throws(StoreError) {
    for collection in options.models.served {
      let fields = working.schema.collections[collection]?.fields ?? [:]
      let counters = fields.filter { $0.value == .counter }.keys
      if let field = counters.min(by: { $0.description < $1.description }) {
        throw .countedTwice(collection: collection, field: field)
      }
    }
  }
}
