import CRDTKit
import CRDTStore
import Synchronization
import Toolkit

/// The other side of an editor that is between two pipes: an editor, or whatever else keeps a
/// store in sync over a stream.
final class EditPipe: Sendable {
  /// Where the standard input and output were.
  typealias Ends = (reading: Int32, writing: Int32)

  private let session: Store.Session
  /// Why the stream has ended; `nil` until it has.
  private let ending = Mutex<String?>(nil)

  /// How long to wait at most for the other side to have all, once there is nothing to edit.
  private static let endingMilliseconds = 2_000
  private static let lookMilliseconds = 5

  private init(_ store: Store) {
    session = store.session()
  }

  /// Makes the terminal the standard input and output, and returns the descriptors of what these
  /// were.
  static func takeEnds() throws(CommandFailure) -> Ends {
    guard !Syscalls.isTerminal(0), !Syscalls.isTerminal(1) else {
      throw CommandFailure(
        "edit --pipe needs the other side at its standard input and output: "
          + "crdt-demo edit DIR --pipe <FROM-OTHER >TO-OTHER")
    }
    do throws(Syscalls.Failure) { return try Syscalls.exchangeStreamsForTerminal() } catch {
      throw CommandFailure("edit --pipe needs a terminal besides the pipe: \(error.reason)")
    }
  }

  /// Keeps a store in sync over pipes from now on; returns when the other side has greeted.
  ///
  /// A store in which nothing was written yet takes the document that is there, so nothing must
  /// be written before. Two such stores are one document.
  static func meet(
    at ends: Ends, _ store: Store, _ inbox: EditInbox
  ) async throws(CommandFailure) -> EditPipe {
    let link: DescriptorLink
    do throws(SystemError) {
      link = try DescriptorLink(reading: ends.reading, writing: ends.writing)
    } catch {
      throw CommandFailure("\(error)")
    }
    let pipe = EditPipe(store)
    Task {
      let words = await pipe.run(over: link)
      pipe.ending.withLock { $0 = words }
      inbox.put { $0.message = words }
    }
    while pipe.session.peerReplica == nil {
      if let words = pipe.ending.withLock({ $0 }) {
        throw CommandFailure("\(store.path): \(words)")
      }
      try? await Task.sleep(for: .milliseconds(lookMilliseconds))
    }
    return pipe
  }

  /// Keeps the store in sync until the stream ends; returns why it did.
  private func run(over link: DescriptorLink) async -> String {
    do {
      try await session.run(over: link)
      return "the other side has gone"
    } catch let failure as SyncFailure {
      guard case .differentDocument = failure else { return "\(failure)" }
      return "\(failure); 'crdt-demo store sync --join' makes them one"
    } catch PeerLinkError.closedByPeer {
      return "the other side has gone"
    } catch {
      return "\(error)"
    }
  }

  /// Waits until the other side has everything, two seconds at most.
  func finish() async {
    for _ in 0..<Self.endingMilliseconds / Self.lookMilliseconds {
      if session.isSynchronized || ending.withLock({ $0 != nil }) { return }
      try? await Task.sleep(for: .milliseconds(Self.lookMilliseconds))
    }
  }
}
