extension TraceEvent {
  /// What happened, in words: `replica 2 sends message 17 to replica 3, 250 bytes`.
  ///
  /// Texts of the event itself are not in it.
  var sentence: String {
    var text = phrase
    if let bytes { text += ", \(bytes.counted("byte"))" }
    if let events, kind != .edit, kind != .learn { text += ", \(events.counted("edit"))" }
    return text
  }

  private var phrase: String {
    let me = Self.name(replica)
    let other = Self.name(peer)
    let what = message.map { "message \($0.grouped)" } ?? "a message"
    switch kind {
    case .begin: return "the run begins"
    case .edit: return "\(me) makes \((events ?? 1).counted("edit"))"
    case .send: return "\(me) sends \(what) to \(other)"
    case .receive: return "\(me) receives \(what) from \(other)"
    case .lose: return "\(what) of \(me) to \(other) is lost"
    case .duplicate: return "\(what) of \(me) to \(other) is duplicated"
    case .corrupt: return "\(what) of \(me) to \(other) is damaged"
    case .learn: return events.map { "\(me) learns \($0.counted("edit"))" } ?? "\(me) learns"
    case .connect: return "\(me) and \(other) are connected"
    case .cut: return "the link of \(me) and \(other) is cut"
    case .partition: return replica == nil ? "the network parts" : "\(pair) is cut off"
    case .heal: return replica == nil ? "the network heals" : "\(pair) heals"
    case .crash: return "\(me) crashes"
    case .restart: return "\(me) starts again"
    case .pause: return "\(me) stops for a while"
    case .resume: return "\(me) goes on"
    case .join: return "\(me) joins"
    case .leave: return "\(me) leaves"
    case .clock: return "the clock of \(me) jumps"
    case .check: return replica == nil ? "the state is checked" : "\(me) is checked"
    case .violation: return replica == nil ? "a law is broken" : "\(me) breaks a law"
    case .end: return "the run ends"
    }
  }

  private var pair: String {
    peer == nil ? Self.name(replica) : "the link of \(Self.name(replica)) and \(Self.name(peer))"
  }

  private static func name(_ place: Int?) -> String {
    place.map { "replica \($0 + 1)" } ?? "nobody"
  }
}
