extension Link {
  /// Records a chunk that is sent, and what befell it; gives its number.
  func record(
    _ passage: FaultyStream.Passage, at end: Int, since before: FaultyStream.Counts
  ) -> Int? {
    guard let recorder else { return nil }
    let counts = streams[end].counts
    let (source, target) = (ends[end], ends[1 - end])
    let number = recorder.nextMessage()
    let bytes = counts.bytes - before.bytes
    recorder.record(.send, source, peer: target, message: number, bytes: bytes)
    if counts.corrupted > before.corrupted {
      recorder.record(.corrupt, source, peer: target, message: number)
    }
    if counts.duplicated > before.duplicated {
      recorder.record(.duplicate, source, peer: target, message: number)
    }
    if counts.lost > before.lost || passage == .cut {
      recorder.record(.lose, source, peer: target, message: number)
    }
    return number
  }

  func recordArrival(_ flight: Flight) {
    guard let recorder, case .bytes(let bytes) = flight.content else { return }
    recorder.record(
      .receive, ends[flight.end], peer: ends[1 - flight.end], message: flight.number,
      bytes: bytes.count)
  }

  /// Records that the connection is no more, and what is lost with it.
  func recordBreak(why: String) {
    guard let recorder, isUp else { return }
    for time in flights.keys.sorted() {
      for flight in flights[time] ?? [] where flight.number != nil {
        recorder.record(
          .lose, ends[1 - flight.end], peer: ends[flight.end], message: flight.number, detail: why)
      }
    }
    recorder.record(.cut, ends[0], peer: ends[1], detail: why)
  }
}
