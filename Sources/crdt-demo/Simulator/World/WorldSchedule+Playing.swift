import CRDTKit

extension WorldSchedule {
  /// Plays the schedule, and stops at the first violation.
  func play(sink: TraceSink? = nil, progress: ProgressSink? = nil) -> WorldOutcome {
    if style == .outbox { return playOutboxes(sink, progress) }
    guard hasForks || hasAhead, !settings.hasForks else { return playAll(sink, progress) }
    var schedule = self
    (schedule.settings.hasForks, schedule.settings.isMortal) = (true, true)
    schedule.settings.hasAhead = hasAhead
    return schedule.playAll(sink, progress)
  }

  private func playAll(_ sink: TraceSink?, _ progress: ProgressSink?) -> WorldOutcome {
    if style == .store { return playStores(sink, progress) }
    return switch workload {
    // Without knowing all that was seen, each insertion must be told from the others.
    case .set where settings.hasForks && style != .datagram:
      play(MergeMap<Int, ORSet<Int64>>.self, sink, progress)
    case .counter where settings.hasForks && style != .datagram:
      withoutRemovals.play(MergeMap<Int, PNCounter>.self, sink, progress)
    case .set: play(ORSet<Int>.self, sink, progress)
    case .map: play(MergeMap<Int, MVRegister<Int>>.self, sink, progress)
    case .counter: play(MergeMap<Int, PNCounter>.self, sink, progress)
    case .notes, .mixed: play(Document.self, sink, progress)
    case .text: numberedForPositions.play(ReplicatedText.self, sink, progress)
    case .list:
      numberedForPositions.play(ReplicatedList<MVRegister<Int>>.self, sink, progress)
    }
  }

  private func play<Value: WorldValue>(
    _: Value.Type, _ sink: TraceSink?, _ progress: ProgressSink?
  ) -> WorldOutcome {
    switch style {
    case .session, .store, .outbox:
      play(sink, progress) { place, neighbours in
        StreamNode<SessionExchange<Value>>(
          place: place, neighbours: neighbours, settings: settings, seed: seed)
      }
    case .group:
      play(sink, progress) { place, neighbours in
        StreamNode<PeerGroup<Value, Int>>(
          place: place, neighbours: neighbours, settings: settings, seed: seed)
      }
    case .datagram:
      play(sink, progress) { place, neighbours in
        DeltaNode<Value>(
          place: place, isInMesh: neighbours == replicas - 1, settings: settings, seed: seed)
      }
    }
  }

  /// Plays with the nodes that are made for an index and a number of neighbours.
  private func play<Node: ReplicaNode>(
    _ sink: TraceSink?, _ progress: ProgressSink?, _ makeNode: (Int, Int) -> Node
  ) -> WorldOutcome {
    let neighbours = topology.neighbours(among: replicas)
    let nodes = neighbours.enumerated().map { makeNode($0, $1.count) }
    var run = WorldRun(self, nodes, neighbours, WorldChecker(self), sink, progress)
    return run.play()
  }

  /// The schedule with increments instead of removals of counters.
  private var withoutRemovals: WorldSchedule {
    var schedule = self
    for place in steps.indices {
      guard case .edit(let node, let number) = steps[place].what, (number >> 40) % 8 == 7 else {
        continue
      }
      schedule.steps[place].what = .edit(node, number & ~(1 << 40))
    }
    return schedule
  }

  /// The schedule with numbers that stand for edits of a text or a list.
  ///
  /// Where names don't tell elements apart, their scalars or values do.
  private var numberedForPositions: WorldSchedule {
    var schedule = self
    for place in steps.indices {
      guard case .edit(let node, let number) = steps[place].what else { continue }
      let serial = settings.hasForks ? place : nil
      schedule.steps[place].what = .edit(node, EditNumber.marked(number, serial: serial))
    }
    return schedule
  }

  /// The server is always there, at the first place; and no app is started from a
  /// backup, which would not have what its user was told since.
  private func playOutboxes(_ sink: TraceSink?, _ progress: ProgressSink?) -> WorldOutcome {
    var schedule = self
    schedule.topology = .star
    schedule.steps.removeAll { step in
      switch step.what {
      case .join(0), .leave(0), .crash(0, _, _, _), .copy: true
      default: false
      }
    }
    for place in schedule.steps.indices {
      if case .crash(let app, let kind, let draw, let down) = schedule.steps[place].what,
        kind == .restore || kind == .inPlace
      {
        schedule.steps[place].what = .crash(app, .crash, draw: draw, down: down)
      }
    }
    let server = OutboxServer(settings: settings)
    let apps = (1..<replicas).map { place in
      var app = OutboxApp(place: place, settings: settings, seed: seed)
      app.begin(with: server.server)
      return OutboxNode(app: app)
    }
    var run = WorldRun(
      schedule, [OutboxNode(server: server)] + apps, Topology.star.neighbours(among: replicas),
      OutboxJudge(schedule, server), sink, progress)
    return run.play()
  }

  /// Stores hold documents: their workload is one of those that change one.
  private func playStores(_ sink: TraceSink?, _ progress: ProgressSink?) -> WorldOutcome {
    var settings = settings
    settings.disks.hasBackups =
      settings.hasForks
      || steps.contains { step in
        if case .crash(_, .restore, _, _) = step.what { true } else { false }
      }
    return play(sink, progress) { place, neighbours in
      StoreNode(place: place, neighbours: neighbours, settings: settings, seed: seed)
    }
  }
}
