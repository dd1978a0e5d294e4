extension World {
  /// Passes an event to the sink.
  mutating func trace(
    _ kind: TraceEvent.Kind, _ replica: Int?, peer: Int? = nil, message: Int? = nil,
    bytes: Int? = nil, events: Int? = nil, detail: String? = nil
  ) {
    sink?(
      TraceEvent(
        time: now, kind: kind, replica: replica, peer: peer, message: message, bytes: bytes,
        events: events, digest: nil, value: nil, detail: detail))
  }

  /// Passes the description and the command of the simulation to the sink.
  mutating func traceBegin(_ title: String, command: String) {
    sink?(
      TraceEvent(
        time: now, kind: .begin, replica: nil, peer: nil, message: nil, bytes: nil, events: nil,
        digest: nil, value: title, detail: command))
  }

  /// Passes a change of a node to the sink.
  mutating func traceNode(_ kind: TraceEvent.Kind, _ place: Int, events: Int? = nil) {
    guard let sink else { return }
    let text = nodes[place].writtenText
    // Nobody has what a replica writes before that is traced.
    if text != nil, kind == .edit, let author = nodes[place].author, authorPlaces[author] == nil {
      authorPlaces[author] = place
    }
    let authors = text.map { text in
      TextAuthors(parts: text.parts.map { .init(place: authorPlaces[$0.replica], count: $0.count) })
    }
    sink(
      TraceEvent(
        time: now, kind: kind, replica: place, peer: nil, message: nil, bytes: nil,
        events: events, digest: nodes[place].traceDigest,
        value: text?.text ?? nodes[place].traceValue, authors: authors?.description, detail: nil))
  }

  mutating func traceLink(_ kind: TraceEvent.Kind, _ link: Int) {
    let (one, other) = ends(of: link)
    trace(kind, one, peer: other)
  }

  /// Traces a sent message.
  ///
  /// Returns its number.
  mutating func traceSend(
    _ letter: Context.Letter, bytes: Int, from place: Int, by direction: Int
  ) -> Int {
    lastTraceNumber += 1
    trace(
      .send, place, peer: Int(directions[direction].target), message: lastTraceNumber,
      bytes: bytes, events: letter.events > 0 ? letter.events : nil)
    return lastTraceNumber
  }

  /// Traces the arrival of a message, or its loss with its connection.
  mutating func traceArrival(_ event: EventQueue.Event) {
    guard let message = traceNumbers.removeValue(forKey: Int(event.index)) else { return }
    let direction = directions[Int(event.place)]
    let (forth, back) = links[Int(direction.link)].directions
    let source = Int(directions[Int(forth == event.place ? back : forth)].target)
    let place = Int(direction.target)
    let events = message.events > 0 ? message.events : nil
    if links[Int(direction.link)].connection == event.connection, nodeStates[place].isUp {
      trace(
        .receive, place, peer: source, message: message.number, bytes: message.bytes,
        events: events)
    } else {
      trace(
        .lose, source, peer: place, message: message.number, bytes: message.bytes,
        events: events, detail: "its connection ended")
    }
  }
}

/// The traced facts of an arriving message.
struct TracedMessage {
  var number: Int
  var bytes: Int
  var events: Int
}
