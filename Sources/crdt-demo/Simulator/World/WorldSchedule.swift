import Toolkit

/// All that happens to a ``World`` of replicas: what is in it, what its links do, who
/// edits when, and what goes wrong.
///
/// The same schedule gives the same run.
struct WorldSchedule: Equatable, Sendable {
  /// Something that happens at a moment.
  struct Step: Equatable, Sendable {
    /// Microseconds of virtual time.
    var time: UInt64
    var what: What
  }

  enum What: Equatable, Sendable {
    /// A replica makes the change that a number stands for.
    case edit(Int, UInt64)
    /// The same, under a clock that is so many milliseconds ahead for this edit alone.
    case editAhead(Int, UInt64, by: Int64)
    case cut(Int, Int, pause: UInt64)
    case partition([[Int]], length: UInt64)
    case crash(Int, CrashKind, draw: UInt64, down: UInt64)
    /// A replica comes that was away until then.
    case join(Int)
    /// A replica comes that was away until then, as a copy of another that goes on, too.
    case copy(Int, to: Int, draw: UInt64)
    case leave(Int)
    /// A replica is stopped for so many microseconds: what comes meanwhile waits.
    case pause(Int, length: UInt64)
    /// A replica's clock jumps by so many milliseconds.
    case jump(Int, Int64)
  }

  var seed: UInt64 = 1
  var replicas = 3
  var topology = Topology.mesh
  var style = WorldStyle.session
  var workload = Workload.set
  var conditions = LinkConditions()
  var settings = NodeSettings()
  /// Microseconds from one tick of a replica to the next.
  var interval: UInt64 = 50_000
  /// How far the clock of each replica is off, where it is.
  var clocks: [WorldClock] = []
  /// The steps in the order of their times.
  var steps: [Step] = []
  /// The chance that a state is judged when it has changed.
  var sampling = 0.25
  /// The command that plays it.
  var command = ""
}

extension WorldSchedule {
  /// The places that a step is about.
  static func places(in what: What) -> [Int] {
    switch what {
    case .edit(let place, _), .crash(let place, _, _, _), .join(let place), .leave(let place),
      .editAhead(let place, _, _), .jump(let place, _), .pause(let place, _):
      [place]
    case .cut(let one, let other, _), .copy(let one, let other, _): [one, other]
    case .partition: []
    }
  }
}

extension WorldSchedule {
  /// Whether edits are made under clocks that are far ahead.
  var hasAhead: Bool {
    steps.contains { if case .editAhead = $0.what { true } else { false } }
  }

  /// Whether one name may come to be used in two places.
  var hasForks: Bool {
    steps.contains { step in
      switch step.what {
      case .crash(_, .inPlace, _, _), .copy: true
      default: false
      }
    }
  }

  /// What it is, in a line.
  var title: String {
    if style == .outbox {
      return "\((replicas - 1).counted("app")) and a server, by outbox, seed \(seed)"
    }
    return "\(replicas) replicas in a \(topology), \(workload) by \(style), seed \(seed)"
  }
}

/// How the replicas of a ``World`` tell each other what is new.
enum WorldStyle: String, CaseIterable, Sendable {
  /// By peer sessions over streams of bytes.
  case session
  /// By groups of peers, over streams of bytes, too.
  case group
  /// By deltas, each for itself, that may be lost.
  case datagram
  /// By peer sessions, and each keeps its document in a store on a disk of its own.
  case store
  /// By the operations that apps queue for a server, at place 0, that knows nothing of
  /// replicas.
  case outbox

  /// Whether replicas have disks.
  var hasDisks: Bool { self == .store || self == .outbox }
}

/// What the replicas of a simulation change.
enum Workload: String, CaseIterable, Sendable {
  /// A document, by all kinds of operation.
  case mixed
  /// A set of numbers, to which some are added and from which some are removed.
  case set
  /// A map of counters.
  case counter
  /// A map of registers.
  case map
  /// A document of notes, whose fields are written.
  case notes
}
