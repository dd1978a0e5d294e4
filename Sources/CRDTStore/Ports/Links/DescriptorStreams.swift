/// The two threads of a ``DescriptorLink``, and the bytes between them and its tasks.
final class DescriptorStreams: Sendable {
  let incoming = ByteChannel(capacity: 1 << 16)
  let outgoing = ByteChannel(capacity: 1 << 16)
  private let reading: Int32
  private let writing: Int32
  /// A pipe whose writing end is closed to wake the threads.
  private let waker: (reading: Int32, writing: Int32)
  private let state = Locked(State())

  /// How long what was sent before the link was closed is still written.
  private static let lingerMilliseconds: Int32 = 5_000

  private struct State {
    var isClosed = false
    var threads = 2
  }

  init(reading: Int32, writing: Int32) throws(SystemError) {
    self.reading = reading
    self.writing = writing
    waker = try Descriptors.makePipe()
    guard StoreThread.start({ [self] in read() }) else {
      abandonWaker()
      throw SystemError("pthread_create", code: SystemError.inputOutput)
    }
    guard StoreThread.start({ [self] in write() }) else {
      // The reading thread ends, and nothing else is closed.
      state.withLock { $0.threads = .max }
      close()
      throw SystemError("pthread_create", code: SystemError.inputOutput)
    }
  }

  func close() {
    outgoing.finish()
    incoming.abandon()
    wakeThreads()
  }

  private func wakeThreads() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    if isFirst { Descriptors.close(waker.writing) }
  }

  private func abandonWaker() {
    Descriptors.close(waker.reading)
    Descriptors.close(waker.writing)
  }

  private func read() {
    defer { leave() }
    do throws(SystemError) {
      while true {
        let (isReady, isWoken) = try Descriptors.wait(
          for: reading, toWrite: false, orFor: waker.reading)
        if isWoken { return }
        guard isReady,
          let bytes = try Descriptors.readSome(from: reading, max: ByteChannel.pieceMax)
        else { continue }
        if bytes.isEmpty { return incoming.finish() }
        do throws(PeerLinkError) { try incoming.putBlocking(bytes) } catch { return }
      }
    } catch {
      incoming.finish(.system(error))
    }
  }

  private func write() {
    defer { leave() }
    Descriptors.refuseBrokenPipeSignal(writing)
    do throws(SystemError) {
      while let bytes = (try? outgoing.takeBlocking()) ?? nil {
        if try !write(bytes) { return }
      }
    } catch {
      outgoing.abandon(error.isBrokenPipe ? .closedByPeer : .system(error))
    }
  }

  /// Writes bytes; says whether it could before the time after closing was over.
  private func write(_ bytes: [UInt8]) throws(SystemError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let isClosed = state.withLock { $0.isClosed }
      let (isReady, isWoken) = try Descriptors.wait(
        for: writing, toWrite: true, orFor: isClosed ? -1 : waker.reading,
        milliseconds: isClosed ? Self.lingerMilliseconds : -1)
      if isReady {
        // No more than is taken at once, so that closing needn't wait for the peer.
        let count = try Descriptors.writeSome(rest.prefix(Descriptors.writeMax), to: writing)
        rest = rest.dropFirst(count)
      } else if !isWoken {
        return false
      }
    }
    return true
  }

  /// Gives the descriptors back when both threads are done with them.
  private func leave() {
    let isLast = state.withLock { state in
      state.threads -= 1
      return state.threads == 0
    }
    guard isLast else { return }
    wakeThreads()
    Descriptors.close(waker.reading)
    Descriptors.close(reading)
    if writing != reading { Descriptors.close(writing) }
  }
}
