import CRDTStore
import CRDTStoreTesting
import CRDTTestSupport

/// A transport over a way that fails as it is told to, which says so as it should, but for
/// one thing.
final class FaultyTransport: Outbox.Transport {
  enum Flaw: CaseIterable {
    case neverTimesOut, ignoresCancelling, tellsCancellingAsTimeout, answersTheCancelled
    case tellsSilenceAsUnknown, tellsNoConnectionAsTimeout, tellsBrokenConnectionAsNone
    case passesOver401, throwsConflicts, forgetsRetryAfter, tells429AsRejected, tells5xxAsRejected
    case tells503AsUnknown

    /// Whether a rule is one that it breaks.
    func breaks(_ rule: String) -> Bool {
      let word =
        switch self {
        case .neverTimesOut: "silence"
        case .ignoresCancelling, .tellsCancellingAsTimeout: "is cancelled while it waits"
        case .answersTheCancelled: "by a cancelled task"
        case .tellsSilenceAsUnknown: "silence"
        case .tellsNoConnectionAsTimeout: "noConnection"
        case .tellsBrokenConnectionAsNone: "brokenConnection"
        case .passesOver401: "status(401"
        case .throwsConflicts: "status 409"
        case .forgetsRetryAfter: "wants to be left alone"
        case .tells429AsRejected: "status(429"
        case .tells5xxAsRejected: "status(5"
        case .tells503AsUnknown: "status(503"
        }
      return rule.contains(word)
    }
  }

  private let inner = FakeServer()
  private let flaw: Flaw?
  private let state = Guarded<TransportFault?>(nil)
  /// How long an answer is waited for.
  private let patience = Duration.milliseconds(600)

  init(_ flaw: Flaw? = nil) {
    self.flaw = flaw
  }

  var fault: TransportFault? {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }

  func push(
    _ operations: [Outbox.Envelope]
  ) async throws(RemoteError) -> [Outbox.Answer] {
    try await pass()
    let answers = try await inner.push(operations)
    if flaw == .throwsConflicts, answers.count == 1, answers.contains(where: \.isConflict) {
      throw RemoteError(.serverRejected, "status 409")
    }
    return answers
  }

  func pull(_ request: Outbox.PullRequest) async throws(RemoteError) -> Outbox.PullPage {
    try await pass()
    if flaw == .answersTheCancelled, Task.isCancelled {
      return await Task { [inner] in try? await inner.pull(request) }.value
        ?? Outbox.PullPage(records: [], cursor: nil, hasMore: false)
    }
    return try await inner.pull(request)
  }

  /// Goes the way to the server, and fails as that does.
  private func pass() async throws(RemoteError) {
    switch fault {
    case nil: return
    case .noConnection?:
      throw RemoteError(flaw == .tellsNoConnectionAsTimeout ? .timeout : .networkUnavailable)
    case .brokenConnection?:
      throw RemoteError(flaw == .tellsBrokenConnectionAsNone ? .networkUnavailable : .timeout)
    case .silence?: try await wait()
    case .status(let status, let seconds)?: throw error(status, seconds)
    }
  }

  private func wait() async throws(RemoteError) {
    let patience = flaw == .neverTimesOut ? .seconds(3_600) : patience
    if flaw == .ignoresCancelling {
      await Task { try? await Task.sleep(for: patience) }.value
    } else {
      do { try await Task.sleep(for: patience) } catch {
        throw RemoteError(flaw == .tellsCancellingAsTimeout ? .timeout : .cancelled)
      }
    }
    throw RemoteError(flaw == .tellsSilenceAsUnknown ? .unknown : .timeout)
  }

  private func error(_ status: Int, _ seconds: Int?) -> RemoteError {
    let hint = flaw == .forgetsRetryAfter ? nil : seconds.map { Duration.seconds($0) }
    let kind: RemoteError.Kind =
      switch status {
      case 401 where flaw != .passesOver401: .unauthorized
      case 429: flaw == .tells429AsRejected ? .serverRejected : .serverFailed
      case 503 where flaw == .tells503AsUnknown: .unknown
      case 500...599: flaw == .tells5xxAsRejected ? .serverRejected : .serverFailed
      default: .serverRejected
      }
    return RemoteError(kind, "status \(status)", retryAfter: hint)
  }
}

extension Outbox.Answer {
  fileprivate var isConflict: Bool {
    if case .conflict = outcome { true } else { false }
  }
}
