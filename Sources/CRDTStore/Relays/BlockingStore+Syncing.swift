extension BlockingStore {
  /// Takes in what is new on the other side, and sends what is new here: see
  /// ``Store/sync(with:)``.
  @discardableResult
  public func sync(with target: SyncTarget) throws(StoreError) -> SyncReport {
    try target.partner(of: core)()
  }

  /// The folder of a relay: see ``Store/relay(at:options:)``.
  public func relay(at path: String, options: RelayOptions = .standard) -> BlockingFolderRelay {
    BlockingFolderRelay(self, RelayExchange(core: core, path: path, options: options))
  }
}
