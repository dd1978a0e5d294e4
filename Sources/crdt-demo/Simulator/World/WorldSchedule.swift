import Toolkit

/// The description of a run of a ``World`` of replicas: its contents, link conditions,
/// edits and faults.
///
/// Equal schedules give equal runs.
struct WorldSchedule: Equatable, Sendable {
  /// An event at a time.
  struct Step: Equatable, Sendable {
    /// Microseconds of virtual time.
    var time: UInt64
    var what: WorldAction
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
  /// The errors of the replicas' clocks.
  var clocks: [WorldClock] = []
  /// The steps in the order of their times.
  var steps: [Step] = []
  /// The probability that a changed state is checked.
  var sampling = 0.25
  /// The command that plays it.
  var command = ""
}

extension WorldSchedule {
  /// The indices of the replicas of a step.
  static func places(in what: WorldAction) -> [Int] {
    switch what {
    case .edit(let place, _), .crash(let place, _, _, _), .join(let place), .leave(let place),
      .editAhead(let place, _, _), .jump(let place, _), .pause(let place, _), .restart(let place),
      .resume(let place), .collapse(let place):
      [place]
    case .cut(let one, let other, _), .copy(let one, let other, _): [one, other]
    case .partition, .heal: []
    }
  }

  /// Whether edits are made under clocks that are far ahead.
  var hasAhead: Bool {
    steps.contains { if case .editAhead = $0.what { true } else { false } }
  }

  /// Whether one name may be used in two places.
  var hasForks: Bool {
    steps.contains { step in
      switch step.what {
      case .crash(_, .inPlace, _, _), .copy: true
      default: false
      }
    }
  }

  /// A description in one line.
  var title: String {
    if style == .outbox {
      return "\((replicas - 1).counted("app")) and a server, by outbox, seed \(seed)"
    }
    return "\(replicas) replicas in a \(topology), \(workload) by \(style), seed \(seed)"
  }
}

/// The way in which the replicas of a ``World`` exchange changes.
enum WorldStyle: String, CaseIterable, Sendable {
  /// Peer sessions over byte streams.
  case session
  /// Groups of peers over byte streams.
  case group
  /// Independent deltas, which may be lost.
  case datagram
  /// Peer sessions; each replica keeps its document in a store on its own disk.
  case store
  /// Operations that apps queue for a server at index 0, which knows nothing of replicas.
  case outbox

  /// Whether replicas have disks.
  var hasDisks: Bool { self == .store || self == .outbox }
}

/// The kind of value that the replicas of a simulation change.
enum Workload: String, CaseIterable, Codable, Sendable {
  /// A document, with all kinds of operations.
  case mixed
  /// A set of numbers, with insertions and removals.
  case set
  /// A map of counters.
  case counter
  /// A map of registers.
  case map
  /// A document of notes, with writes to fields.
  case notes
  /// A text, in which the replicas type, delete and paste.
  case text
  /// A list, whose elements the replicas insert, replace, move and remove.
  case list

  /// Whether processes and stores, which hold documents, can have it.
  var isOfDocuments: Bool { self != .text && self != .list }
}
