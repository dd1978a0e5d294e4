/// A link over descriptors: two pipes, such as those of a child process, or a socket.
///
/// It waits for them with two threads of its own. If the peer is gone, it throws an error
/// instead of killing the process.
///
/// Programs that the process starts don't inherit descriptors that this package opens.
/// Darwin can't create such a pipe in one call: start programs with
/// `POSIX_SPAWN_CLOEXEC_DEFAULT` there. Otherwise a program that starts while a link is
/// created may hold one of its ends open, and the peer never sees it close.
public final class DescriptorLink: PeerLink {
  private let streams: DescriptorStreams

  /// Creates a link that reads from one descriptor and writes to another one.
  ///
  /// They may be the same. The link takes ownership and closes them.
  ///
  /// - Throws: ``SystemError`` if no further descriptor or thread is available. You still
  ///   own both descriptors then.
  public init(reading: Int32, writing: Int32) throws(SystemError) {
    streams = try DescriptorStreams(reading: reading, writing: writing)
  }

  deinit {
    close()
  }

  /// Creates both ends of a link over two pipes of the process.
  ///
  /// - Throws: ``SystemError`` if the descriptors or threads are not available.
  public static func makePair() throws(SystemError) -> (DescriptorLink, DescriptorLink) {
    let there = try Descriptors.makePipe()
    var open = [there.reading, there.writing]
    do throws(SystemError) {
      let back = try Descriptors.makePipe()
      open += [back.reading, back.writing]
      let first = try DescriptorLink(reading: back.reading, writing: there.writing)
      open = [there.reading, back.writing]
      return (first, try DescriptorLink(reading: there.reading, writing: back.writing))
    } catch {
      for descriptor in open { Descriptors.close(descriptor) }
      throw error
    }
  }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
    try await streams.outgoing.put(bytes)
  }

  /// Waits for bytes; returns `nil` at the end of the stream.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    try await streams.incoming.take()
  }

  /// Ends both streams.
  ///
  /// Sent bytes are still written for a few seconds.
  public func close() {
    streams.close()
  }
}

/// The two threads of a ``DescriptorLink``, and the bytes between them and its tasks.
final class DescriptorStreams: Sendable {
  let incoming = ByteChannel(capacity: 1 << 16)
  let outgoing = ByteChannel(capacity: 1 << 16)
  private let reading: Int32
  private let writing: Int32
  /// A pipe whose writing end is closed to wake the threads.
  private let waker: (reading: Int32, writing: Int32)
  private let state = Locked(State())

  /// How long sent bytes are still written after the link was closed.
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

  /// Writes bytes.
  ///
  /// Returns whether it could before the time after closing ended.
  private func write(_ bytes: [UInt8]) throws(SystemError) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let isClosed = state.withLock { $0.isClosed }
      let (isReady, isWoken) = try Descriptors.wait(
        for: writing, toWrite: true, orFor: isClosed ? -1 : waker.reading,
        milliseconds: isClosed ? Self.lingerMilliseconds : -1)
      if isReady {
        // Write no more than the pipe takes at once, so that closing needn't wait for the
        // peer.
        let count = try Descriptors.writeSome(rest.prefix(Descriptors.writeMax), to: writing)
        rest = rest.dropFirst(count)
      } else if !isWoken {
        return false
      }
    }
    return true
  }

  /// Closes the descriptors when both threads are done with them.
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
