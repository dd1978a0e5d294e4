/// What a replica's document is, in short.
struct ReplicaState: Equatable {
  /// The digest of the whole document.
  var digest: String
  /// What it holds, in words.
  var value: String
}

extension ReplicaReport {
  /// What the document was in the end.
  var state: ReplicaState {
    ReplicaState(digest: digest, value: contents.joined(separator: ", "))
  }
}
