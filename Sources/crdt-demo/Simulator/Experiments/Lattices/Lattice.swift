import CRDTKit

/// A state that grows by joining others: of finitely many irreducible parts, whose
/// join it is.
///
/// Enes, Almeida, Baquero, Leitão, "Efficient Synchronization of State-based
/// CRDTs", 2019, sections II and III: the parts are the *elements* of a state, and
/// what of a state is new to another is the join of those parts that are not below
/// it.
protocol Lattice: Equatable, Sendable {
  /// The bottom: nothing yet.
  init()

  /// What an update adds, made by a node that holds this state.
  func delta(of update: ExperimentUpdate, by node: Int) -> Self

  /// Becomes the least state above both.
  mutating func join(_ other: Self)

  /// The join of those parts of this state that are not below another.
  func inflation(over other: Self) -> Self

  /// How many irreducible parts there are.
  var elementCount: Int { get }

  /// Whether there is no part.
  var isBottom: Bool { get }

  /// Writes the number of parts, then each part after the one before it.
  func encode(to writer: inout ByteWriter)

  /// What the state says, as pairs of numbers: for comparing with other algorithms.
  var reading: [UInt64: UInt64] { get }
}

extension Lattice {
  /// Joins another state, and gives what of it was new.
  mutating func absorb(_ other: Self) -> Self {
    let news = other.inflation(over: self)
    if !news.isBottom { join(news) }
    return news
  }
}

/// What a node does in an experiment.
enum ExperimentUpdate: Equatable, Sendable {
  /// Adds an element to a set.
  case insert(Int)
  /// Adds one to a counter.
  case increment
  /// Gives keys of a map a new time, all in one delta.
  case stamp(keys: [Int], time: UInt64)

  /// How many elements it makes or changes.
  var elementCount: Int {
    switch self {
    case .insert, .increment: 1
    case .stamp(let keys, _): keys.count
    }
  }
}
