import Synchronization

/// Whether someone has given up waiting.
final class CancellationFlag: Sendable {
  private let isRaised = Atomic(false)

  var isSet: Bool { isRaised.load(ordering: .relaxed) }

  func set() {
    isRaised.store(true, ordering: .relaxed)
  }
}
