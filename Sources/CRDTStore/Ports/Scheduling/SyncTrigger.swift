/// Something upon which an app may want to sync.
///
/// What happens in the app is told as one of these, by whoever hears of it, and a
/// ``SyncPolicy`` says what is to be synced.
public enum SyncTrigger: Hashable, Sendable {
  /// The user changed something.
  case mutation
  /// The app was started.
  case launch
  /// The app came to the front; how long after the last sync, `nil` if there was none.
  case foreground(sinceLast: Duration?)
  /// Servers are reached again.
  case networkRestored
  /// Some time has passed: see ``SyncPolicy/timerInterval``.
  case timer
  /// A server said that something in a collection has changed; `nil` if it didn't say
  /// in which.
  case push(collection: String?)
  /// The user asked for it, or waits for its outcome, as after a payment.
  case user
}
