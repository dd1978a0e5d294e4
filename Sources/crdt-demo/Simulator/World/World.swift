import CRDTKit
import CRDTStoreTesting

/// Nodes on faulty links, in virtual time, in one process.
///
/// Runs are deterministic: a world reads no clock, and random numbers come from seeds.
/// Links without faults deliver every message exactly once, in order.
///
///     var world = World(nodes: nodes, neighbours: Topology.ring.neighbours(among: 4), seed: 7)
///     world.tickAll(every: 1_000_000)
///     world.edit(0, number: 12, at: 500_000)
///     world.run(until: 10_000_000)
struct World<Node: WorldNode> {
  typealias Context = WorldContext<Node.Message>

  /// One direction of a link.
  struct Direction {
    /// The target node, and the index of the opposite direction among that node's
    /// neighbours.
    var target: Int32
    var neighbour: Int32
    var link: Int32
    /// When all bytes sent so far have left.
    var freeAt: UInt64 = 0
    /// When the last message that was not overtaken arrives.
    var arrivesAt: UInt64 = 0
    var generator: SeededGenerator
  }

  /// A link between two nodes.
  struct Link {
    /// The direction from each of the two ends.
    var directions: (Int32, Int32)
    /// The number of reasons for having no connection.
    var blocks: UInt32 = 0
    /// The number of the connection.
    ///
    /// Messages in flight on an earlier one are lost.
    var connection: UInt32 = 0
  }

  /// The world's state of a node.
  struct NodeState {
    /// The index of the node's first direction; it has one for each neighbour.
    var firstDirection: Int32
    var neighbourCount: Int32
    var isUp = true
    /// Whether it has left for good.
    var hasLeft = false
    /// Whether it is paused.
    var isPaused = false
    /// Whether it is down while its links still deliver its messages.
    var isLingering = false
    var tickInterval: UInt64 = 0
    var clock = WorldClock()
  }

  /// Microseconds of virtual time since the beginning.
  private(set) var now: UInt64 = 0
  var nodes: [Node]
  var counts = WorldCounts()
  /// The conditions of the links for future messages.
  var conditions: LinkConditions {
    didSet { isFaultless = conditions.faults == .none && conditions.jitter == 0 }
  }
  /// The sink of trace events, if any.
  var sink: TraceSink?

  var queue = EventQueue()
  var nodeStates: ContiguousArray<NodeState> = []
  var directions: ContiguousArray<Direction> = []
  var links: ContiguousArray<Link> = []
  var pool = MessagePool<Node.Message>()
  var script: [WorldAction] = []
  var editNumbers: ContiguousArray<UInt64> = []
  var generator: SeededGenerator
  var context = Context()
  var isFaultless = true
  /// The numbers of messages in traces, by their index in the pool.
  var traceNumbers: [Int: TracedMessage] = [:]
  /// The messages and connections that wait for paused nodes, by node.
  var pausedNodes: [Int: PausedNode] = [:]
  var lastTraceNumber = 0
  /// The places of the names under which texts were written.
  var authorPlaces: [ReplicaID: Int] = [:]

  /// Creates a world in which every node is up and every link has a connection.
  ///
  /// List the neighbours of each node in ascending order; each link is listed at both of
  /// its ends.
  init(
    nodes: [Node], neighbours: [[Int]], conditions: LinkConditions = LinkConditions(),
    seed: UInt64 = 1
  ) {
    self.nodes = nodes
    self.conditions = conditions
    isFaultless = conditions.faults == .none && conditions.jitter == 0
    generator = SeededGenerator(seed: seed, stream: 1)
    layLinks(neighbours, seed: seed)
  }

  private mutating func layLinks(_ neighbours: [[Int]], seed: UInt64) {
    var first = 0
    for others in neighbours {
      nodeStates.append(
        NodeState(
          firstDirection: Int32(truncatingIfNeeded: first),
          neighbourCount: Int32(truncatingIfNeeded: others.count)))
      first += others.count
    }
    directions.reserveCapacity(first)
    for (place, others) in neighbours.enumerated() {
      for other in others {
        let direction = Int32(truncatingIfNeeded: directions.count)
        let back = neighbours[other]
        let wayBack = back.indices.partitioningIndex { back[$0] >= place }
        var link = links.count
        if other > place {
          links.append(Link(directions: (direction, -1)))
        } else {
          link = Int(directions[Int(nodeStates[other].firstDirection) + wayBack].link)
          links[link].directions.1 = direction
        }
        directions.append(
          Direction(
            target: Int32(truncatingIfNeeded: other),
            neighbour: Int32(truncatingIfNeeded: wayBack),
            link: Int32(truncatingIfNeeded: link),
            generator: SeededGenerator(
              seed: seed, stream: UInt64(place) << 32 | UInt64(other) | 1 << 63)
          ))
      }
    }
  }
}

extension World {
  /// Whether a node is present and running.
  func isUp(_ place: Int) -> Bool { nodeStates[place].isUp }

  /// Whether a node has left for good.
  func hasLeft(_ place: Int) -> Bool { nodeStates[place].hasLeft }

  /// The indices of a node's neighbours.
  func neighbours(of place: Int) -> [Int] {
    let start = Int(nodeStates[place].firstDirection)
    return (0..<Int(nodeStates[place].neighbourCount)).map { Int(directions[start + $0].target) }
  }

  /// The time of a node's clock in milliseconds.
  func wallMilliseconds(of place: Int) -> UInt64 {
    nodeStates[place].clock.milliseconds(at: now)
  }

  func clock(of place: Int) -> WorldClock { nodeStates[place].clock }

  /// Sets the clock of a node.
  mutating func setClock(of place: Int, to clock: WorldClock) {
    nodeStates[place].clock = clock
  }

  /// Calls every node once an interval, each with its own phase.
  mutating func tickAll(every interval: UInt64) {
    for place in nodes.indices {
      let phase = UInt64(generator.below(Int(clamping: max(interval, 1))))
      tick(place, every: interval, from: now + phase)
    }
  }

  /// Calls a node once an interval, starting at a time.
  mutating func tick(_ place: Int, every interval: UInt64, from time: UInt64) {
    nodeStates[place].tickInterval = max(interval, 1)
    queue.add(.tick, at: time, place: place)
  }

  /// Schedules an edit, given by its number, at a node.
  mutating func edit(_ place: Int, number: UInt64, at time: UInt64) {
    editNumbers.append(number)
    queue.add(.edit, at: time, place: place, index: editNumbers.count - 1)
  }

  /// Schedules an action.
  mutating func act(_ action: WorldAction, at time: UInt64) {
    script.append(action)
    queue.add(.action, at: time, place: 0, index: script.count - 1)
  }

  /// Whether messages or actions are pending, except for ticks.
  var nextTime: UInt64? { queue.nextTime }

  /// Performs all events before a time, then advances to it.
  mutating func run(until end: UInt64) {
    while let time = queue.nextTime, time < end { step() }
    now = max(now, end)
  }

  /// The result of a step.
  struct StepResult {
    var kind: EventQueue.Kind
    /// The node that was called, or -1.
    var place: Int
    /// How many events the node learned.
    var learned: Int
  }

  /// Performs the next event, and returns its result; `nil` if there is none.
  @discardableResult
  mutating func step() -> StepResult? {
    guard let event = queue.next() else { return nil }
    now = max(now, event.time)
    let place = Int(event.place)
    switch event.kind {
    case .arrival:
      let target = Int(directions[place].target)
      if nodeStates[target].isPaused {
        pausedNodes[target]?.arrivals.append(event)
        break
      }
      return arrive(event)
    case .tick:
      guard !nodeStates[place].hasLeft else { break }
      queue.add(.tick, at: now &+ nodeStates[place].tickInterval, place: place)
      guard nodeStates[place].isUp, !nodeStates[place].isPaused else { break }
      counts.ticks &+= 1
      prepareContext(place)
      nodes[place].tick(&context)
      return StepResult(kind: .tick, place: place, learned: finishCall(place))
    case .edit:
      guard let done = editNow(place, number: editNumbers[Int(event.index)]) else { break }
      return done
    case .reconnection: unblock(Int(event.index))
    case .action: perform(script[Int(event.index)])
    }
    return StepResult(kind: event.kind, place: -1, learned: 0)
  }

  /// Makes a node perform an edit, given by its number, at once.
  mutating func editNow(_ place: Int, number: UInt64, ahead: Int64 = 0) -> StepResult? {
    guard nodeStates[place].isUp, !nodeStates[place].isPaused else { return nil }
    counts.edits &+= 1
    if ahead > 0 { counts.editsAhead &+= 1 }
    prepareContext(place)
    context.wallMilliseconds &+= UInt64(clamping: ahead)
    context.aheadMilliseconds = ahead
    context.serial = counts.edits
    nodes[place].edit(number, &context)
    context.aheadMilliseconds = 0
    if sink != nil { traceNode(.edit, place) }
    return StepResult(kind: .edit, place: place, learned: finishCall(place))
  }

  private mutating func arrive(_ event: EventQueue.Event) -> StepResult {
    let direction = directions[Int(event.place)]
    let place = Int(direction.target)
    let index = Int(event.index)
    if sink != nil { traceArrival(event) }
    guard let message = pool.take(index), nodeStates[place].isUp,
      links[Int(direction.link)].connection == event.connection
    else {
      counts.dropped &+= 1
      return StepResult(kind: .arrival, place: -1, learned: 0)
    }
    counts.delivered &+= 1
    prepareContext(place)
    nodes[place].receive(message, from: Int(direction.neighbour), &context)
    return StepResult(kind: .arrival, place: place, learned: finishCall(place))
  }

  /// Calls a node, and performs its requests.
  mutating func call(_ place: Int, _ body: (inout Node, inout Context) -> Void) {
    prepareContext(place)
    body(&nodes[place], &context)
    _ = finishCall(place)
  }

  mutating func prepareContext(_ place: Int) {
    context.now = now
    context.place = place
    context.wallMilliseconds = nodeStates[place].clock.milliseconds(at: now)
    context.neighbourCount = Int(nodeStates[place].neighbourCount)
    context.learned = 0
    context.dies = false
  }

  /// Performs a node's requests.
  ///
  /// Returns the number of events that it has learned.
  mutating func finishCall(_ place: Int) -> Int {
    let learned = context.learned
    if learned > 0, sink != nil { traceNode(.learn, place, events: learned) }
    if !context.letters.isEmpty { post(from: place) }
    if !context.hangUps.isEmpty {
      let hangUps = context.hangUps
      context.hangUps.removeAll(keepingCapacity: true)
      for neighbour in hangUps {
        cut(Int(directions[Int(nodeStates[place].firstDirection) + neighbour].link))
      }
    }
    if context.dies {
      context.dies = false
      counts.deaths &+= 1
      goDown(place, detail: "died while syncing")
      act(.restart(place), at: now + 1 + UInt64(generator.below(40_000)))
    }
    return learned
  }
}
