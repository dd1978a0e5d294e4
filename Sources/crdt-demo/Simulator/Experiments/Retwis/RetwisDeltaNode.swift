import CRDTKit

/// A node that keeps each object alike by deltas of its own, as the paper's does.
struct RetwisDeltaNode: RetwisNode {
  typealias Message = RetwisMessage

  private let node: Int
  private let neighbours: [Int]
  private let nodeCount: Int
  private let settings: DeltaSettings
  /// The objects that were touched, in the order in which they were.
  private var objects: [(number: Int, synchronizer: DeltaSynchronizer<NumberSet>)] = []
  private var places: [Int: Int] = [:]
  private var messages = MessageBox<ExperimentMessage<NumberSet>>()

  init(node: Int, neighbours: [Int], nodeCount: Int, settings: DeltaSettings) {
    self.nodeCount = nodeCount
    self.node = node
    self.neighbours = neighbours
    self.settings = settings
  }

  func start(_ box: inout MessageBox<Message>) {}

  mutating func perform(_ operation: RetwisOperation) {
    switch operation {
    case .follow(let user, let followed): add(user, to: .followers, of: followed)
    case .post(let user, let number):
      add(number, to: .posts, of: user)
      let followers = places[RetwisMessage.object(.followers, of: user)]
        .map { objects[$0].synchronizer.state.numbers }
      for follower in followers ?? [] { add(number, to: .timeline, of: follower) }
    case .read: break
    }
  }

  private mutating func add(_ element: Int, to kind: RetwisObject, of user: Int) {
    let place = place(of: RetwisMessage.object(kind, of: user))
    guard !objects[place].synchronizer.state.contains(element) else { return }
    objects[place].synchronizer.add(NumberSet(CollectionOfOne(element)))
  }

  private mutating func place(of object: Int) -> Int {
    if let place = places[object] { return place }
    let synchronizer = DeltaSynchronizer<NumberSet>(
      node: node, neighbours: neighbours, nodeCount: nodeCount,
      settings: settings)
    objects.append((object, synchronizer))
    places[object] = objects.count - 1
    return objects.count - 1
  }

  mutating func synchronize(_ box: inout MessageBox<Message>) {
    for place in objects.indices where objects[place].synchronizer.hasNews {
      objects[place].synchronizer.synchronize(&messages)
      forward(of: objects[place].number, &box)
    }
  }

  mutating func receive(_ message: Message, from node: Int, _ box: inout MessageBox<Message>) {
    let place = place(of: message.object)
    objects[place].synchronizer.receive(message.message, from: node, &messages)
    forward(of: message.object, &box)
  }

  private mutating func forward(of object: Int, _ box: inout MessageBox<Message>) {
    for item in messages.removeAll() {
      box.send(RetwisMessage(object: object, message: item.message), to: item.target)
    }
  }

  static func cost(of message: Message) -> ExperimentCost {
    message.cost
  }

  var digest: UInt64 {
    objects.reduce(0) { digest, object in
      object.synchronizer.state.numbers.reduce(digest) {
        $0 &+ Fingerprint.of(UInt64(object.number) << 32 | UInt64($1))
      }
    }
  }

  var elementCount: Int { objects.reduce(0) { $0 + $1.synchronizer.state.elementCount } }
}
