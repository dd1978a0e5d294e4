/// Accounting for the memory that one stream may use for the peer's data.
extension PeerLink {
  /// Counts the memory of applied data, without the memory of the rows that it replaced.
  @usableFromInline
  mutating func countMemory(givenBack replaced: Int) {
    memoryLeft = min(limits.maximumMemoryBytes, memoryLeft - memoryTaken + max(0, replaced))
    memoryTaken = 0
  }

  /// Whether enough data has arrived to count the memory that is still in use.
  @usableFromInline
  var isRecountDue: Bool { !holdsMuch && memoryLeft < limits.maximumMemoryBytes / 2 }

  /// Counts the memory of the value, in place of the data that has arrived on this
  /// stream.
  ///
  /// This applies only if the value takes at most a quarter of the limit. Then as much
  /// again must arrive before the next count, which pays for the work.
  @usableFromInline
  mutating func recountMemory<Value: BinaryCodable>(of value: Value) {
    let bytes = value.encoded()
    let room = max(0, min(memoryLeft, limits.maximumMemoryBytes / 4) - bytes.count)
    var left = room
    var names: CodingMemory?
    do throws(DecodingFailure) {
      _ = try Value(decoding: bytes, memoryLeft: &left, remembering: &names)
      memoryLeft = limits.maximumMemoryBytes - (room - left)
    } catch {
      holdsMuch = true
    }
  }

  /// The reason to refuse data that was decoded with a given memory limit.
  @usableFromInline
  func refusal(for failure: DecodingFailure, withRoom room: Int) -> SyncFailure {
    guard failure.reason == .memoryExceeded(max: room) else { return .malformed(failure) }
    let max = limits.maximumMemoryBytes
    return .malformed(DecodingFailure(.memoryExceeded(max: max), at: failure.offset))
  }
}
