/// How a replica of a ``World`` goes down.
enum CrashKind: String, CaseIterable, Sendable {
  /// What it had made durable is there when it starts again.
  case crash
  /// An edit is made and lost with the crash: it was not durable yet, and nobody
  /// was told of it.
  case torn
  /// It starts again from an older copy, under a new replica identifier.
  case restore
  /// It starts again from an older copy that was put in its place, under the identifier
  /// that it had: of a store's folder in one of the ways that people do that.
  case inPlace = "in-place"
}
