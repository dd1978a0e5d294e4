import CRDTKit

/// What is read where commits are made is ahead of the disk: it has commits that a power
/// cut may still take. An answer that rests on them waits for them, as one's own commit
/// would: that there was nothing to change, that a record exists already, an error.
extension StoreCore {
  /// The last commit that somebody may have read who asked for a durability; `nil` if all
  /// of them may be told.
  ///
  /// Whoever asks for no durability may be told what readers see: relaxed commits, but
  /// not full ones that wait for the disk. The monitor is held.
  func commitRead(_ durability: Durability) -> UInt64? {
    guard durable < appended, durability == .full || committed != nil else { return nil }
    return appended
  }

  /// Waits until what a call has read is durable, before the call throws an error.
  nonisolated(nonsending) func untilReadIsDurable(
    _ durability: Durability = .full
  ) async throws(StoreError) {
    let commit = monitor.withLock { commitRead(durability) }
    if let commit { try await untilDurable(commit) }
  }

  /// The same, in place.
  func waitUntilReadIsDurable(_ durability: Durability = .full) throws(StoreError) {
    let commit = monitor.withLock { commitRead(durability) }
    if let commit { try waitUntilDurable(commit) }
  }
}

extension StoreCore {
  /// Changes the document by a body that may throw, and waits for the commit, or for
  /// what the body has read.
  nonisolated(nonsending) func answer<Answer>(
    _ durability: Durability, _ body: () throws -> (Answer, commit: UInt64?)
  ) async throws -> Answer {
    let answer: (Answer, commit: UInt64?)
    do { answer = try body() } catch {
      try await untilReadIsDurable(durability)
      throw error
    }
    if let commit = answer.commit { try await untilDurable(commit) }
    return answer.0
  }

  /// The same, in place.
  func answerInPlace<Answer>(
    _ durability: Durability, _ body: () throws -> (Answer, commit: UInt64?)
  ) throws -> Answer {
    let answer: (Answer, commit: UInt64?)
    do { answer = try body() } catch {
      try waitUntilReadIsDurable(durability)
      throw error
    }
    if let commit = answer.commit { try waitUntilDurable(commit) }
    return answer.0
  }
}
