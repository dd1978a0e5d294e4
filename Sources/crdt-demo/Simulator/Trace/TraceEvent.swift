import CRDTKit
import Toolkit

/// An event of a simulation.
struct TraceEvent: Equatable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case begin, edit, send, receive, lose, duplicate, corrupt, learn, connect, cut, partition, heal,
      crash, restart, pause, resume, join, leave, clock, check, violation, end
  }

  /// Microseconds of virtual time since the beginning.
  var time: UInt64
  var kind: Kind
  /// The replica's place, from 0; nil where it is about the whole world.
  var replica: Int?
  /// The other end of the link, where there is one.
  var peer: Int?
  /// The same number for a message's send and its receive, loss or duplicates.
  var message: Int?
  var bytes: Int?
  /// How many events (edits) a message brings, or a replica learned.
  var events: Int?
  /// A short digest of the replica's state after it: equal digests are equal states.
  var digest: String?
  /// What the replica's value reads as, short; of a text, its beginning.
  var value: String?
  /// Who wrote the text that is the value: see ``TextAuthors``.
  var authors: String?
  /// Anything else a person should know.
  var detail: String?
}

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

/// Times of a trace as people read them.
enum TraceTime {
  /// Seconds with one decimal, or three where they are few.
  static func rough(_ microseconds: UInt64) -> String {
    guard microseconds >= 10_000_000 else { return text(microseconds / 1_000 * 1_000) }
    return text(microseconds / 100_000 * 100_000)
  }

  /// Seconds with as many decimals as there are, `12.5 s`, and no more than six.
  static func text(_ microseconds: UInt64) -> String {
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    guard rest > 0 else { return "\(seconds.grouped) s" }
    var decimals = String(String(rest + 1_000_000).dropFirst())
    while decimals.hasSuffix("0") { decimals.removeLast() }
    return "\(seconds.grouped).\(decimals) s"
  }
}

extension String {
  /// The text on one line, no longer than so many of Unicode's scalars; what a terminal
  /// would act on is a space, and what else doesn't show is escaped.
  func clipped(to length: Int) -> String {
    let end = unicodeScalars.index(
      unicodeScalars.startIndex, offsetBy: length, limitedBy: unicodeScalars.endIndex)
    let shown = String(unicodeScalars[..<(end ?? unicodeScalars.endIndex)])
    let text = shown.replacingScalars { scalar, isHidden in
      guard isHidden else { return nil }
      return scalar.properties.generalCategory == .control ? " " : scalar.visible
    }
    return end.map { $0 < unicodeScalars.endIndex } ?? false ? text + "…" : text
  }

  /// The text with spaces before it, so that it is as wide as that.
  func rightAligned(to width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}
