/// What a test does with a store: all that its interface offers.
enum StoreOperation: String, CaseIterable, Sendable {
  /// A durable edit of a few fields and a counter.
  case edit
  /// A durable edit that takes more than a sector of the disk.
  case large
  /// An edit that is not waited for.
  case relaxed
  /// Deleting a record.
  case delete
  /// A body that throws, a delta with a gap, and one from the far future.
  case refused
  /// A delta from elsewhere.
  case apply
  /// A session with a peer, both of which have news.
  case exchange
  /// A session with a peer that has seen more of this store than the store has.
  case restored
  case flush
  /// A snapshot, before which old deletions are purged.
  case compact
  /// Closing, and opening again.
  case reopen
  /// The same, with other rules.
  case schema
  /// The same, with a newer version of the app's schema.
  case migrate
  /// The process dies, and another opens the store.
  case kill
}
