public import CRDTKit

extension Store {
  /// Makes all commits durable, relaxed ones too.
  ///
  /// - Throws: ``StoreError``: `closed` where the store was closed, which made them durable.
  public nonisolated(nonsending) func flush() async throws(StoreError) {
    try core.checkOpen()
    try await core.untilDurable(core.monitor.withLock { core.appended })
  }

  /// Makes all commits durable, and waits in place.
  public func flush() throws(StoreError) {
    try core.checkOpen()
    try core.waitUntilDurable(core.monitor.withLock { core.appended })
  }

  /// Writes a snapshot, so that opening is quick and the log short.
  ///
  /// Unless the options say otherwise, this happens by itself. Others read and
  /// write meanwhile.
  ///
  /// - Complexity: O(size of the document).
  public nonisolated(nonsending) func compact() async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.compact() }
  }

  /// Writes a snapshot, and waits in place.
  public func compact() throws(StoreError) {
    try core.compact()
  }

  /// Seals all files anew: afterwards nothing is left that another key opens, or that isn't
  /// sealed, but for what is in the folder `quarantine`.
  ///
  /// It is how a key is exchanged for another: see ``RotatingSealing``. In a store that isn't
  /// sealed it is ``compact()``.
  ///
  /// - Complexity: O(rows).
  /// - Throws: ``StoreError``; then files are left that the former key alone opens.
  public nonisolated(nonsending) func reseal() async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.compact(isResealing: true) }
  }

  /// Seals all files anew, and waits in place.
  public func reseal() throws(StoreError) {
    try core.compact(isResealing: true)
  }

  /// Copies all that is durable into a folder that isn't there yet; others go on
  /// meanwhile.
  ///
  /// The copy is a store: opened, it writes as a replica of its own. To restore it,
  /// put it in the place of the store's folder.
  ///
  /// - Throws: ``StoreError``, ``StoreError/alreadyExists(path:)`` where there is
  ///   something in the folder.
  /// - Complexity: O(size of the newest snapshot and the log since).
  public nonisolated(nonsending) func backUp(to path: String) async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.backUp(to: path) }
  }

  /// Copies all that is durable into a folder that isn't there yet, and waits in place.
  public func backUp(to path: String) throws(StoreError) {
    try core.backUp(to: path)
  }

  /// Says that the store's document and another one belong together: from then on they are
  /// one.
  ///
  /// Stores in which was written before they first met are two documents, and refuse each
  /// other with ``StoreError/otherDocument(path:found:expected:)`` or
  /// `SyncFailure.differentDocument`, which name the other one. This is for where that was
  /// meant: it can't be undone. Of the identifiers the least counts from then on; others
  /// learn of it when they sync, and know the store by either until then.
  ///
  ///     let report = try await store.sync(with: .store(other))
  ///     if case .differentDocument(let found, _)? = report.failure, isMeant {
  ///       try await store.join(document: found)
  ///       try await store.sync(with: .store(other))
  ///     }
  ///
  /// When it returns, that is durable.
  ///
  /// - Throws: ``StoreError`` where it could not be committed.
  public nonisolated(nonsending) func join(document: DocumentID) async throws(StoreError) {
    try await core.untilDurable(try core.join(document))
  }

  /// Says that two documents belong together, and waits in place.
  public func join(document: DocumentID) throws(StoreError) {
    try core.waitUntilDurable(try core.join(document))
  }

  /// Waits no longer for a peer: what it lacks is not kept for it, and deletions
  /// that it hasn't seen can be purged.
  public nonisolated(nonsending) func forget(peer: ReplicaID) async throws(StoreError) {
    try await core.untilDurable(try core.forget(peer))
  }

  /// Waits no longer for a peer, and writes that down in place.
  public func forget(peer: ReplicaID) throws(StoreError) {
    try core.waitUntilDurable(try core.forget(peer))
  }
}
