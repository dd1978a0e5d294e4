extension MonotonicClock {
  /// Does something that may take a span of time at most; `nil` where it takes longer,
  /// or the task is cancelled.
  ///
  /// What takes too long is cancelled, and not waited for.
  package func limit<Value: Sendable>(
    to span: Duration, _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    let (values, continuation) = AsyncStream.makeStream(of: Value.self)
    let work = Task {
      continuation.yield(await body())
      continuation.finish()
    }
    let timer = Task {
      try? await sleep(for: span)
      continuation.finish()
    }
    defer {
      work.cancel()
      timer.cancel()
    }
    for await value in values { return value }
    return nil
  }
}
