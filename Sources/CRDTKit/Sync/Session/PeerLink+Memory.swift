/// What the peer sends takes memory, of which there is so much for one stream.
extension PeerLink {
  /// Counts the memory of what was read last and has been taken in, but for what the rows
  /// took that it replaced.
  @usableFromInline
  mutating func countMemory(givenBack replaced: Int) {
    memoryLeft = min(limits.memoryBytesMax, memoryLeft - memoryTaken + max(0, replaced))
    memoryTaken = 0
  }

  /// Whether so much has come that it is time to count what is still there of it.
  @usableFromInline
  var isRecountDue: Bool { !holdsMuch && memoryLeft < limits.memoryBytesMax / 2 }

  /// Counts all that a value holds, in place of what has come on this stream.
  ///
  /// Only what takes a quarter of the limit at most is: then as much again has to come until
  /// it is counted the next time, which pays for it.
  @usableFromInline
  mutating func recountMemory<Value: BinaryCodable>(of value: Value) {
    let bytes = value.encoded()
    let room = max(0, min(memoryLeft, limits.memoryBytesMax / 4) - bytes.count)
    var left = room
    var names: CodingMemory?
    do throws(DecodingFailure) {
      _ = try Value(decoding: bytes, memoryLeft: &left, remembering: &names)
      memoryLeft = limits.memoryBytesMax - (room - left)
    } catch {
      holdsMuch = true
    }
  }

  /// Why what was read with so much room for it is refused.
  @usableFromInline
  func refusal(for failure: DecodingFailure, withRoom room: Int) -> SyncFailure {
    guard failure.reason == .memoryExceeded(max: room) else { return .malformed(failure) }
    let max = limits.memoryBytesMax
    return .malformed(DecodingFailure(.memoryExceeded(max: max), at: failure.offset))
  }
}
