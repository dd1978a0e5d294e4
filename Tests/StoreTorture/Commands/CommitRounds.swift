import CRDTTestSupport
import Toolkit

/// What a commit writes beyond its own in a store that has met many peers.
struct CommitRounds {
  private static let bytesMax = 1_000

  private let meetings: [CommitBytes]

  init(_ arguments: Arguments) throws {
    let peers = try arguments.number("peers", default: 80)
    let strangers = try arguments.number("strangers", default: 12)
    let heads = try arguments.number("heads", default: 60_000)
    meetings = [
      CommitBytes(peers: peers), CommitBytes(strangers: strangers, headsEach: heads),
    ]
  }

  func run() throws -> Outcome {
    var broken = 0
    for meeting in meetings {
      for (when, bytes) in try meeting.measured() {
        let isHeld = bytes <= Self.bytesMax
        if !isHeld { broken += 1 }
        System.say(
          "\(meeting.peers) peers, \(meeting.strangers) strangers with \(meeting.headsEach) heads "
            + "each: \(when): \(bytes) bytes more\(isHeld ? "" : ": TOO MANY")")
      }
    }
    if broken > 0 { throw BrokenPromise("\(broken) figures are over \(Self.bytesMax) bytes") }
    return .held
  }
}
