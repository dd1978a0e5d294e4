import CRDTKit

extension StoreCore {
  /// How long relaxed commits are gathered.
  static let gatheringMilliseconds = 100
  /// The number of their bytes that are worth a write.
  static let gatheringBytes = 1 << 20

  /// Waits until a commit is durable, and writes it if no other thread is writing.
  func waitUntilDurable(_ commit: UInt64) throws(StoreError) {
    monitor.lock()
    defer { monitor.unlock() }
    awaited = max(awaited, commit)
    while durable < commit {
      if let failure { throw failure }
      guard log != nil else { throw .closed(path: path) }
      if isWriting {
        monitor.wait(for: .done)
      } else {
        writeBatch()
      }
    }
  }

  /// Waits until a commit is durable, without blocking a thread.
  nonisolated(nonsending) func untilDurable(_ commit: UInt64) async throws(StoreError) {
    let reason = await Handover<StoreError?>.wait { continuation in
      monitor.lock()
      if durable >= commit || failure != nil || log == nil {
        let reason = durable >= commit ? nil : failure ?? .closed(path: path)
        monitor.unlock()
        continuation.resume(returning: reason)
        return
      }
      awaited = max(awaited, commit)
      waiters.append(Waiter(commit: commit, continuation: continuation))
      wakeWriter()
      monitor.unlock()
    }
    if let reason { throw reason }
  }

  /// Makes the store's own thread write the batch.
  private func wakeWriter() {
    startWriter()
    if !isWriting { monitor.signal(.work) }
  }

  /// Makes the store's own thread write the batch soon, unless it already will.
  func wakeWriterForRelaxed() {
    if !hasWriter { startWriter() }
    // One signal per batch is enough, unless the batch grows large.
    if !hasRungForBatch || batch.size > Self.gatheringBytes, !isWriting {
      hasRungForBatch = true
      monitor.signal(.work)
    }
  }

  private func startWriter() {
    guard !hasWriter else { return }
    hasWriter = options.hasThreads && StoreThread.start { self.runWriter() }
    guard !hasWriter else { return }
    // If no thread can be started, the caller does the work.
    while durable < awaited, failure == nil, log != nil {
      if isWriting { monitor.wait(for: .done) } else { writeBatch() }
    }
  }

  /// Runs the store's own thread until the store is closed.
  private func runWriter() {
    monitor.lock()
    var gatheringSince: ContinuousClock.Instant?
    while !isClosing {
      if batch.count == 0 || failure != nil || log == nil {
        gatheringSince = nil
        monitor.wait(for: .work)
      } else if isWriting {
        monitor.wait(for: .work)
      } else if awaited > durable || batch.size > Self.gatheringBytes {
        gatheringSince = nil
        writeBatch()
      } else {
        let start = gatheringSince ?? .now
        gatheringSince = start
        let left =
          Self.gatheringMilliseconds - Int((ContinuousClock.now - start) / .milliseconds(1))
        if left <= 0 {
          gatheringSince = nil
          writeBatch()
        } else {
          monitor.wait(for: .work, milliseconds: left)
        }
      }
    }
    hasWriter = false
    monitor.signal(.done)
    monitor.unlock()
  }

  /// Writes the batch, and wakes everybody who waits for it.
  ///
  /// The monitor is held at the beginning and at the end, and nobody is writing.
  ///
  /// - Parameter isBoundary: Whether to begin a new segment in any case.
  /// - Returns: Why not everything was done; `nil` if it was.
  @discardableResult
  func writeBatch(isBoundary: Bool = false) -> StoreError? {
    guard failure == nil, var log else { return failure ?? .closed(path: path) }
    isWriting = true
    hasRungForBatch = false
    let (commit, hasBatch) = (appended, batch.count > 0)
    var frame = hasBatch ? batch.take(after: Frame.headSize) : []
    let isFull = log.size + frame.count >= min(options.segmentBytes, 1 << 30)
    let rotates = isBoundary || (isFull && !isClosing)
    if rotates { batch.beginSegment() }
    let seen = committed == nil ? nil : working
    let (version, document) = (rotates ? working.document.version : [:], identity.document)
    monitor.unlock()

    var (writingFailure, rotatingFailure): (StoreError?, StoreError?)
    do throws(StoreError) { if hasBatch { try log.append(&frame) } } catch {
      writingFailure = error
    }
    if writingFailure == nil, rotates {
      do throws(StoreError) { try log.rotate(version: version, document: document) } catch {
        rotatingFailure = error
      }
    }

    monitor.lock()
    self.log = log
    isWriting = false
    if writingFailure == nil {
      durable = commit
      // If nobody waited when the batch was taken, a caller that came meanwhile has kept
      // the document before its own commit.
      if appended == commit {
        committed = nil
      } else if let seen {
        committed = seen
      }
      let isRotated = rotates && rotatingFailure == nil
      files.note(frame.count, isRotated: isRotated, log: log, version: version)
    }
    if let writingFailure { stop(writingFailure) }
    // If no segment could be begun, and nothing is in doubt, the old one continues.
    if case .stopped? = rotatingFailure, let rotatingFailure { stop(rotatingFailure) }
    release()
    monitor.signal(.done)
    if batch.count > 0 { monitor.signal(.work) }
    return failure ?? rotatingFailure
  }

  /// Stops accepting commits: it is no longer known what is on disk.
  func stop(_ cause: StoreError) {
    guard failure == nil else { return }
    if case .system(let error, let path) = cause {
      failure = .stopped(error, path: path)
    } else {
      failure = cause
    }
    tell(.stopped(cause))
  }

  /// Sends an event to the app, outside of everything that the store is doing.
  func tell(_ event: Store.Event) {
    guard options.hasThreads else { return }
    let onEvent = options.onEvent
    eventTeller.tell { onEvent(event) }
  }

  /// Wakes the callers whose commits are durable, or never will be.
  private func release() {
    // They are in the order in which they began to wait, which may differ from that of
    // commits.
    var waiting: [Waiter] = []
    for waiter in waiters {
      if waiter.commit <= durable {
        waiter.continuation.resume(returning: nil)
      } else if let failure {
        waiter.continuation.resume(returning: failure)
      } else {
        waiting.append(waiter)
      }
    }
    waiters = waiting
    var seen = 0
    while seen < announcements.count, announcements[seen].commit <= durable { seen += 1 }
    for announcement in announcements[..<seen] { changes.send(announcement.change) }
    announcements.removeFirst(seen)
    tellOfLimit()
    compactIfDue()
  }

  private func tellOfLimit() {
    guard let limit = options.softLimitBytes, files.bytes >= limit else {
      hasToldOfLimit = false
      return
    }
    guard !hasToldOfLimit else { return }
    hasToldOfLimit = true
    tell(.softLimitReached(bytes: files.bytes, limit: limit))
  }
}
