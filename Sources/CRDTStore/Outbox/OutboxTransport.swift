/// The way to a server that knows nothing of replicas: it is told of operations, and
/// asked for records that have changed.
///
/// An adapter speaks to one server on behalf of one user. What it promises:
///
/// - Operations are done in the order of the batch; each as a whole or not at all.
/// - It answers for each operation by itself, in any order, and never turns what it
///   heard about one into an error for all: an operation that was accepted before
///   something went wrong is answered for, or is sent again.
/// - An operation whose ``OperationEnvelope/id`` the server has accepted before is
///   answered as it was then, and not done again; with a server that can't tell,
///   an answer that was lost means that the operation has its effect twice.
/// - An error says that nothing is known of any operation of the batch, unless its
///   kind says more. A way that is down is ``RemoteError/Kind/networkUnavailable``;
///   no answer in time is ``RemoteError/Kind/timeout``, of the adapter's making. An outbox
///   waits for ``OutboxOptions/callLimit`` at most, whatever the adapter does.
/// - Cancelling the task ends a call soon, with ``RemoteError/Kind/cancelled``.
/// - Calls may overlap, and come from any thread.
public protocol OutboxTransport: Sendable {
  /// Tells the server of operations, and gives what it answered about each.
  ///
  /// An operation that the answers leave out is in doubt, and is sent again.
  ///
  /// - Parameter operations: At most 100, of different records.
  /// - Returns: An answer for each operation that the server answered for.
  /// - Throws: ``RemoteError`` where nothing is known of any of them.
  func push(_ operations: [OperationEnvelope]) async throws(RemoteError) -> [OperationAnswer]

  /// Asks for a page of the records of a collection that have changed since the one
  /// before, deleted ones among them.
  ///
  /// A change that is made between two pages may come in either or both, but is
  /// never left out.
  ///
  /// - Parameter request: The collection, and where the last page ended.
  /// - Returns: The page, and where to go on.
  /// - Throws: ``RemoteError`` where there is no page.
  func pull(_ request: PullRequest) async throws(RemoteError) -> PullPage
}
