import CRDTKit

/// Two documents and the sessions between them.
struct SessionPair {
  var left: Document
  var right: Document
  /// How many bytes each side has sent.
  var bytes = (left: 0, right: 0)
  /// How many bytes of deltas the left side has sent, without their frames.
  var deltaBytes = 0
  private var sessions: (left: PeerSession<Document>, right: PeerSession<Document>)
  private var isConnected = false
  private let pipes: (toRight: Pipe, toLeft: Pipe)?

  /// Creates sessions that go through pipes, or hand their bytes over without.
  init(_ left: Document, _ right: Document, pipes: (toRight: Pipe, toLeft: Pipe)? = nil) {
    self.left = left
    self.right = right
    self.pipes = pipes
    sessions = (PeerSession(replica: .left), PeerSession(replica: .right))
  }

  /// Lets the sides talk until they have nothing more to say.
  mutating func exchange() throws {
    var toRight: [[UInt8]] = []
    var toLeft: [[UInt8]] = []
    if isConnected {
      toRight = try sent(sessions.left.flush(left))
      toLeft = try sent(sessions.right.flush(right))
    } else {
      toRight = try sent(sessions.left.connect(left))
      toLeft = try sent(sessions.right.connect(right))
      isConnected = true
    }
    while !toRight.isEmpty || !toLeft.isEmpty {
      var fromRight: [[UInt8]] = []
      var fromLeft: [[UInt8]] = []
      for bytes in toRight {
        self.bytes.left += bytes.count
        deltaBytes += Self.deltaBytes(of: bytes)
        for part in try through(pipes?.toRight, bytes) {
          fromRight += try sent(sessions.right.receive(part, into: &right))
        }
      }
      for bytes in toLeft {
        self.bytes.right += bytes.count
        for part in try through(pipes?.toLeft, bytes) {
          fromLeft += try sent(sessions.left.receive(part, into: &left))
        }
      }
      (toRight, toLeft) = (fromLeft, fromRight)
    }
  }

  /// The part of a delta that a frame carries: 0 for frames of another kind.
  ///
  /// The article *Sync protocol* says where things stand in a frame.
  private static func deltaBytes(of frame: [UInt8]) -> Int {
    let (headBytes, checksumBytes) = (4, 4)
    guard frame.count > headBytes, frame[headBytes] == 5 else { return 0 }
    return frame.count - headBytes - 1 - checksumBytes
  }

  private func through(_ pipe: Pipe?, _ bytes: [UInt8]) throws -> [[UInt8]] {
    guard let pipe else { return [bytes] }
    return try pipe.carry(bytes)
  }

  private func sent(_ actions: [PeerSession<Document>.Action]) throws -> [[UInt8]] {
    try actions.compactMap { action in
      switch action {
      case .send(let bytes): return bytes
      case .learned, .takeNewReplica: return nil
      case .close(let failure): throw failure
      }
    }
  }
}
