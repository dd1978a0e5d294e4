import CRDTKit
import Foundation
import Toolkit

/// Splits a byte stream into frames: a little-endian length of four bytes, and that many
/// bytes.
struct FrameBuffer {
  /// The greatest accepted frame length in bytes.
  static let lengthMax = 256 << 20

  private var bytes: [UInt8] = []
  private var start = 0

  /// Whether the stream has stopped in the middle of a frame.
  var isPartial: Bool { start < bytes.count }

  /// Lets the stream go on.
  mutating func append<Result, Failure: Error>(
    _ body: (inout [UInt8]) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if start > 1 << 16 || start == bytes.count {
      bytes.removeFirst(start)
      start = 0
    }
    return try body(&bytes)
  }

  /// The next complete frame; `nil` if it has not arrived completely.
  mutating func next() throws(CommandFailure) -> [UInt8]? {
    guard bytes.count - start >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    guard length <= Self.lengthMax else {
      throw CommandFailure("a message of \(length) bytes is too long")
    }
    let end = start + 4 + length
    guard bytes.count >= end else { return nil }
    defer { start = end }
    return Array(bytes[start + 4..<end])
  }

  /// A frame around some bytes.
  static func frame(_ body: [UInt8]) -> [UInt8] {
    let length = UInt32(body.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) } + body
  }
}

/// A message between the coordinator and a replica: JSON in a frame.
protocol FrameCodable: Codable {}

extension FrameCodable {
  /// The message as a frame.
  var frame: [UInt8] {
    // No message holds a number that JSON has not.
    FrameBuffer.frame((try? JSONEncoder().encode(self)).map(Array.init) ?? [])
  }

  /// Creates the message that a frame held.
  init(body: [UInt8]) throws(DecodingFailure) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(body))
    } catch {
      throw DecodingFailure(.invalidValue("the frame holds no \(Self.self)"), at: 0)
    }
  }
}

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
