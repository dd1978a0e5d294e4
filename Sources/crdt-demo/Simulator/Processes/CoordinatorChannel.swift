import Toolkit

/// A replica's pipes to its coordinator: its standard input and output.
struct CoordinatorChannel {
  private static let input: Int32 = 0
  private static let output: Int32 = 1

  private var frames = FrameBuffer()
  private var patience = Timeout(.seconds(60))

  init() throws(Syscalls.Failure) {
    try Syscalls.setNonBlocking(Self.input)
    try Syscalls.setNonBlocking(Self.output)
  }

  /// How long the coordinator may be silent.
  mutating func setPatience(milliseconds: Int) {
    patience = Timeout(.milliseconds(milliseconds))
  }

  /// Waits for the next order; returns `nil` after the last one.
  mutating func nextOrder() throws(CommandFailure) -> Order? {
    patience.renew()
    while !patience.isOver {
      if let order = try wholeOrder() { return order }
      let clock = ContinuousClock()
      let start = clock.now
      do {
        let ready = try Syscalls.wait(
          reading: [Self.input], milliseconds: patience.sliceMilliseconds)
        guard ready[0].canRead else {
          patience.spend(clock.now - start)
          continue
        }
        let count = try frames.append { (bytes) throws(Syscalls.Failure) in
          try Syscalls.read(Self.input, onto: &bytes)
        }
        if count == 0 { return nil }
      } catch {
        throw error.trouble
      }
    }
    throw CommandFailure("the coordinator is silent")
  }

  private mutating func wholeOrder() throws(CommandFailure) -> Order? {
    guard let frame = try frames.next() else { return nil }
    do {
      return try Order(body: frame)
    } catch {
      throw CommandFailure("the coordinator said what makes no sense: \(error)")
    }
  }

  /// Sends a reply to the coordinator.
  mutating func send(_ reply: Reply) throws(CommandFailure) {
    try write(reply.frame[...])
  }

  /// Writes bytes, waiting for room.
  mutating func write(_ bytes: ArraySlice<UInt8>) throws(CommandFailure) {
    var rest = bytes
    patience.renew()
    do {
      while !rest.isEmpty, !patience.isOver {
        let count = try Syscalls.write(Self.output, rest)
        rest = rest.dropFirst(count)
        if count > 0 { continue }
        let slice = patience.sliceMilliseconds
        let ready = try Syscalls.wait(reading: [], writing: [Self.output], milliseconds: slice)
        if !ready[0].canWrite { patience.spend(.milliseconds(slice)) }
      }
    } catch {
      throw error.trouble
    }
    if !rest.isEmpty { throw CommandFailure("the coordinator does not listen") }
  }
}
