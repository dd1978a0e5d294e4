extension Coordinator {
  /// Begins the pauses of a round; the processes are stopped somewhere within it.
  ///
  /// They have an order by then, and answer it when they go on.
  mutating func halt(_ perils: Perils) {
    for (index, pause) in perils.halted.sorted(by: { $0.key < $1.key }) {
      standstills[index] = Standstill(end: rounds + pause.rounds)
      recorder?.record(.pause, index, detail: "stopped by SIGSTOP")
    }
  }

  /// Lets those go on whose pause is over; gives what they had said before.
  mutating func resume() -> [(index: Int, reply: Reply)] {
    var replies: [(index: Int, reply: Reply)] = []
    for (index, standstill) in standstills.sorted(by: { $0.key < $1.key })
    where standstill.end <= rounds {
      standstills[index] = nil
      pool.resume(index)
      recorder?.record(.resume, index)
      replies += standstill.replies.map { (index, $0) }
    }
    return replies
  }

  /// Kills those that are stopped when it is their turn.
  mutating func killStopped(among perils: Perils) throws(Trouble) -> Set<Int> {
    let killed = Set(perils.doomed.keys.filter { standstills[$0] != nil })
    for index in killed.sorted() { try kill(index) }
    return killed
  }

  /// Hands over what has arrived, for a replica that isn't asked for an answer.
  ///
  /// Bytes are lost that it is too slow to take.
  mutating func deliver(_ messages: [LinkMessage], to index: Int) {
    let taken = messages.filter { message in
      guard pool.isClogged(index), case .bytes = message.content else { return true }
      network.drop(message, to: index)
      return false
    }
    guard !taken.isEmpty else { return }
    pool.send(options.isFreeRunning ? .messages(taken) : .delivery(taken), to: index)
  }
}
