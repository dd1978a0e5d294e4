import CRDTStore

/// A line that a reference server answers with.
struct ServerReply: Codable, Equatable {
  /// The number of the request; none where the line could not be read.
  var id: Int?
  var answers: [OperationAnswer]?
  var page: PullPage?
  var error: RemoteError?
  /// The operations that were done, in order.
  var effects: [OperationEnvelope]?
}
