import CRDTStore
import Foundation
import Synchronization
import Toolkit

/// What waits for an editor: keys, changes of the store, and signals.
final class EditInbox: Sendable {
  /// What has come since the editor last looked.
  struct Content: Sendable {
    var keys: [Key] = []
    /// The standard input has ended, or the process was asked to end.
    var isOver = false
    /// The terminal must be drawn anew.
    var isResized = false
    /// The result of the last exchange with others.
    var round: Result<Store.SyncReport, StoreError>?
    /// What is to be said about the other side of a pipe.
    var message: String?
    /// The caret was moved a moment ago, and hasn't been published.
    var isCaretDue = false
  }

  private let content = Mutex(Content())
  /// An element whenever something has come.
  let alarms: AsyncStream<Void>
  private let alarm: AsyncStream<Void>.Continuation

  init() {
    (alarms, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func put(_ body: @Sendable (inout Content) -> Void) {
    content.withLock { body(&$0) }
    alarm.yield()
  }

  func take() -> Content {
    content.withLock { content in
      defer { content = Content() }
      return content
    }
  }

  /// How many keys may wait before no more are read.
  private static let keysMax = 4_096
  /// How long the rest of an escape sequence may take.
  private static let sequenceMilliseconds = 50

  /// Reads keys and signals on a thread of its own, until the input ends.
  func readTerminal() {
    Thread.detachNewThread { [self] in
      var parser = KeyParser()
      while readOnce(&parser) {}
      put { $0.isOver = true }
    }
  }

  private func readOnce(_ parser: inout KeyParser) -> Bool {
    do throws(Syscalls.Failure) {
      let isFull = content.withLock { $0.keys.count > Self.keysMax }
      let ready = try Syscalls.wait(
        reading: [Terminal.events] + (isFull ? [] : [0]),
        milliseconds: isFull || parser.isInSequence ? Self.sequenceMilliseconds : 60_000)
      for event in ready[0].canRead ? Terminal.takeEvents() : [] {
        switch event {
        case .changed: put { $0.isResized = true }
        case .ended: put { $0.isOver = true }
        }
      }
      guard ready.count > 1, ready[1].canRead else {
        if !isFull, !ready[0].canRead { parser.giveUp() }
        return true
      }
      var bytes: [UInt8] = []
      let count = try Syscalls.read(0, onto: &bytes)
      let keys = parser.parse(bytes)
      if !keys.isEmpty { put { $0.keys += keys } }
      return count != 0
    } catch {
      return false
    }
  }
}
