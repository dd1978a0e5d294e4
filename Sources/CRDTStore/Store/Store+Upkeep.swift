public import CRDTKit

extension Store {
  /// Makes all commits durable, relaxed ones too.
  ///
  /// - Throws: ``StoreError``: `closed` if the store is closed; closing made them durable.
  public nonisolated(nonsending) func flush() async throws(StoreError) {
    try core.checkOpen()
    try await core.untilDurable(core.monitor.withLock { core.appended })
  }

  /// Makes all commits durable, and waits in place.
  public func flush() throws(StoreError) {
    try core.checkOpen()
    try core.waitUntilDurable(core.monitor.withLock { core.appended })
  }

  /// Writes a snapshot, which shortens the log and the time to open the store.
  ///
  /// The store does this by itself, unless the options say otherwise. You can read and
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

  /// Seals all files anew.
  ///
  /// Afterwards no file is left that is unsealed or that another key opens, except those in
  /// the folder `quarantine`. Use it to exchange the key: see ``RotatingSealing``. For a
  /// store that isn't sealed, it is the same as ``compact()``.
  ///
  /// - Complexity: O(rows).
  /// - Throws: ``StoreError``; then some files may be left that only the former key opens.
  public nonisolated(nonsending) func reseal() async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.compact(isResealing: true) }
  }

  /// Seals all files anew, and waits in place.
  public func reseal() throws(StoreError) {
    try core.compact(isResealing: true)
  }

  /// Copies everything that is durable into a new folder.
  ///
  /// You can read and write meanwhile. The copy is a store. When you open it, it writes as a
  /// replica of its own. To restore the backup, put it in the place of the store's folder.
  ///
  /// - Throws: ``StoreError``, ``StoreError/alreadyExists(path:)`` if the folder isn't
  ///   empty.
  /// - Complexity: O(size of the newest snapshot and of the log since then).
  public nonisolated(nonsending) func backUp(to path: String) async throws(StoreError) {
    let core = core
    try await StoreThread.run { () throws(StoreError) in try core.backUp(to: path) }
  }

  /// Copies everything that is durable into a new folder, and waits in place.
  public func backUp(to path: String) throws(StoreError) {
    try core.backUp(to: path)
  }

  /// Joins the store's document with another one: from then on, the two are one document.
  ///
  /// Two stores that were both written before they first met have two documents. They
  /// refuse to sync with ``StoreError/otherDocument(path:found:expected:)`` or
  /// `SyncFailure.differentDocument`, which name the other document. Call this if the two
  /// are meant to be one; you can't undo it. From then on the smaller identifier is the
  /// valid one. Other stores learn of the join when they sync, and accept either identifier
  /// until then.
  ///
  ///     let report = try await store.sync(with: .store(other))
  ///     if case .differentDocument(let found, _)? = report.failure, isMeant {
  ///       try await store.join(document: found)
  ///       try await store.sync(with: .store(other))
  ///     }
  ///
  /// When the call returns, the join is durable.
  ///
  /// - Throws: ``StoreError`` if it could not be committed.
  public nonisolated(nonsending) func join(document: DocumentID) async throws(StoreError) {
    try await core.untilDurable(try core.join(document))
  }

  /// Joins the store's document with another one, and waits in place.
  public func join(document: DocumentID) throws(StoreError) {
    try core.waitUntilDurable(try core.join(document))
  }

  /// Stops waiting for a peer.
  ///
  /// The store no longer keeps the changes that the peer lacks, and can purge deletions
  /// that the peer hasn't seen.
  public nonisolated(nonsending) func forget(peer: ReplicaID) async throws(StoreError) {
    try await core.untilDurable(try core.forget(peer))
  }

  /// Stops waiting for a peer, and waits in place.
  public func forget(peer: ReplicaID) throws(StoreError) {
    try core.waitUntilDurable(try core.forget(peer))
  }
}
