/// One end of a link within a process.
public final class MemoryLink: PeerLink {
  private let incomingBytes: ByteChannel
  private let outgoingBytes: ByteChannel

  private init(incoming: ByteChannel, outgoing: ByteChannel) {
    incomingBytes = incoming
    outgoingBytes = outgoing
  }

  deinit {
    close()
  }

  /// Makes both ends of a link.
  ///
  /// So many bytes, but 4,096 at least, may be on their way in each direction before
  /// whoever sends waits.
  public static func makePair(capacityBytes: Int = 1 << 16) -> (MemoryLink, MemoryLink) {
    let capacity = max(capacityBytes, 4_096)
    let (there, back) = (ByteChannel(capacity: capacity), ByteChannel(capacity: capacity))
    return (
      MemoryLink(incoming: back, outgoing: there), MemoryLink(incoming: there, outgoing: back)
    )
  }

  /// Sends bytes.
  public func send(_ bytes: [UInt8]) async throws(PeerLinkError) {
    try await outgoingBytes.put(bytes)
  }

  /// Waits for bytes; `nil` when there will be none.
  public func receive() async throws(PeerLinkError) -> [UInt8]? {
    try await incomingBytes.take()
  }

  /// Ends both streams.
  public func close() {
    outgoingBytes.finish()
    incomingBytes.abandon()
  }
}
