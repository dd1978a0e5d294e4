/// A link over descriptors: two pipes, as those of a child process, or a socket.
///
/// Two threads of its own wait for them. The process isn't killed by a peer that is
/// gone: there is an error instead.
///
/// Programs that the process starts don't inherit descriptors that this package opens. On Darwin,
/// which can't make a pipe so in one call, start them with `POSIX_SPAWN_CLOEXEC_DEFAULT`: else
/// one that is started while a link is made may hold an end of it open, and the peer never sees it
/// close.
public final class DescriptorLink: PeerLink {
  private let streams: DescriptorStreams

  /// Creates a link that reads from one descriptor and writes to another one.
  ///
  /// They may be the same. They are the link's from now on: it closes them.
  ///
  /// - Throws: ``SystemError`` where there is no room for another descriptor or
  ///   thread: then both are still the caller's.
  public init(reading: Int32, writing: Int32) throws(SystemError) {
    streams = try DescriptorStreams(reading: reading, writing: writing)
  }

  deinit {
    close()
  }

  /// Makes both ends of a link over two pipes of the process.
  ///
  /// - Throws: ``SystemError`` where there is no room for the descriptors or threads.
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

  /// Waits for bytes; `nil` when there will be none.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    try await streams.incoming.take()
  }

  /// Ends both streams; what was sent is written for a few seconds more.
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
