extension Store {
  /// Takes in what is new on the other side, and sends what is new here: one round.
  ///
  ///     let report = try await store.sync(with: .folder("/Volumes/Shared/notes"))
  ///     if !report.missing.isEmpty { /* some files have not come yet */ }
  ///
  /// What is taken in is durable when it returns, and nothing is sent that a crash
  /// could take back. Whatever is cut short is made up for in the next round.
  ///
  /// - Returns: What was sent and taken in, and what was not.
  /// - Throws: ``StoreError`` where the store can't commit, or the folder can't be read
  ///   or written.
  /// - Complexity: O(what is new), and O(number of files) for a folder.
  @discardableResult
  public nonisolated(nonsending) func sync(
    with target: SyncTarget
  ) async throws(StoreError) -> SyncReport {
    let round = target.partner(of: core)
    return try await StoreThread.run(round)
  }

  /// Keeps the store in sync: at once, soon after each commit, and every so often.
  ///
  /// It returns when the task is cancelled or the store is closed. A round that fails,
  /// as where a disk isn't there, is reported, and tried again the next time.
  ///
  /// - Parameters:
  ///   - target: What to keep it in sync with.
  ///   - interval: How long to wait for a commit before looking for news.
  ///   - delay: How long to gather commits before they are sent together.
  ///   - onRound: Is told what each round did.
  /// - Throws: ``StoreError/stopped(_:path:)`` where the store takes no more commits;
  ///   ``StoreError/countedTwice(collection:field:)`` where it must not sync with peers.
  public func keepInSync(
    with target: SyncTarget, every interval: Duration = .seconds(5),
    gathering delay: Duration = .milliseconds(200),
    onRound: @Sendable (Result<SyncReport, StoreError>) -> Void = { _ in }
  ) async throws(StoreError) {
    let round = target.partner(of: core)
    let (alarms, alarm) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let changes = core.changes.subscribe()
    let watching = Task {
      while await changes.next() != nil { alarm.yield() }
      alarm.finish()
    }
    let ticking = Task {
      while (try? await Task.sleep(for: interval)) != nil { alarm.yield() }
    }
    defer {
      watching.cancel()
      ticking.cancel()
    }
    alarm.yield()
    for await _ in alarms {
      do throws(StoreError) { onRound(.success(try await StoreThread.run(round))) } catch {
        switch error {
        case .closed: return
        case .stopped, .countedTwice: throw error
        default: onRound(.failure(error))
        }
      }
      // What is committed until then goes together.
      guard (try? await Task.sleep(for: delay)) != nil else { return }
    }
  }

  /// The folder of a relay, to sync with more than once, and to see who else does.
  public func relay(at path: String, options: RelayOptions = .standard) -> FolderRelay {
    FolderRelay(self, RelayExchange(core: core, path: path, options: options))
  }
}
