/// A message's way: where in the trace it was sent, came, and what befell it.
struct MessageTrack {
  /// The place of the event by which it was sent.
  var send: Int
  /// The places of those by which it came.
  var arrivals: [Int] = []
  /// The place of the event by which it was lost.
  var loss: Int?
  var isDamaged = false
  var isDuplicated = false

  /// Whether something went wrong with it.
  var isFaulty: Bool { loss != nil || isDamaged || isDuplicated }

  /// How many times one message may come.
  private static let arrivalsMax = 4

  /// The ways of all messages that have a number, in the order of their sends.
  static func all(in events: [TraceEvent]) -> [MessageTrack] {
    var tracks: [MessageTrack] = []
    var places: [Int: Int] = [:]
    for (index, event) in events.enumerated() {
      guard let message = event.message else { continue }
      if event.kind == .send {
        places[message] = tracks.count
        tracks.append(MessageTrack(send: index))
      } else if let place = places[message] {
        tracks[place].take(event.kind, at: index)
      }
    }
    return tracks
  }

  private mutating func take(_ kind: TraceEvent.Kind, at index: Int) {
    switch kind {
    case .receive: if arrivals.count < Self.arrivalsMax { arrivals.append(index) }
    case .lose: loss = loss ?? index
    case .corrupt: isDamaged = true
    case .duplicate: isDuplicated = true
    default: break
    }
  }
}
