/// How a replica of a ``World`` goes down.
enum CrashKind: String, CaseIterable, Sendable {
  /// What it had made durable is there when it starts again.
  case crash
  /// An edit is made and lost with the crash: it was not durable yet, and nobody
  /// was told of it.
  case torn
  /// It starts again from an older copy, under a new replica identifier.
  case restore
}
