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
