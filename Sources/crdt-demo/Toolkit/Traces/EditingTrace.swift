/// A recorded history of edits of a text, from the text form that such traces are kept in.
///
/// The text is a head of lines `name value`, an empty line, and one line an edit. Positions and
/// lengths count Unicode scalars. Lines that begin with `#` in the head are remarks.
package struct EditingTrace: Sendable {
  /// Deletes scalars at a position, then inserts a string there.
  package struct Patch: Hashable, Sendable {
    package var position: Int
    package var deleteCount: Int
    package var inserted: String

    package init(position: Int, deleteCount: Int, inserted: String) {
      self.position = position
      self.deleteCount = deleteCount
      self.inserted = inserted
    }
  }

  /// Edits that one agent made after the merge of the transactions before.
  package struct Transaction: Hashable, Sendable {
    package var agent: Int
    /// Numbers of earlier transactions; none if the text was empty.
    package var parents: [Int]
    /// Each counts on those before it.
    package var patches: [Patch] = []
    /// The line that it begins with.
    package var line: Int
    /// Where the patches of each further line begin, in order.
    var lines: [(firstPatch: Int, line: Int)] = []

    /// The line that a patch is from.
    ///
    /// - Complexity: O(lines of the transaction).
    package func line(ofPatch number: Int) -> Int {
      lines.last { $0.firstPatch <= number }?.line ?? line
    }

    package static func == (left: Transaction, right: Transaction) -> Bool {
      left.agent == right.agent && left.parents == right.parents && left.patches == right.patches
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(agent)
      hasher.combine(parents)
      hasher.combine(patches)
    }
  }

  /// What is wrong with a trace, and where.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package var line: Int
    package var reason: String

    package init(line: Int, reason: String) {
      self.line = line
      self.reason = reason
    }

    package var description: String { "line \(line): \(reason)" }
  }

  /// How large a trace may be: its bytes, patches, agents, and what a replay of it takes.
  package static let sizeMax = 64 << 20
  package static let patchesMax = 8_000_000
  package static let maximumAgents = 1_000
  /// How many transactions and parents there may be, times the agents that each must reach.
  package static let stepsMax = 10_000_000

  /// The values of the head, by name.
  package internal(set) var header: [String: String] = [:]
  /// The transactions, parents first; of a sequential trace one.
  package internal(set) var transactions: [Transaction] = []
  /// How many patches there are, scalars that they insert, and scalars that they delete.
  package internal(set) var patchCount = 0
  package internal(set) var insertedCount = 0
  package internal(set) var deletedCount = 0
  /// How many agents there are: one more than the greatest number.
  package internal(set) var agentCount = 0
  /// How many transactions and parents there are.
  var stepCount = 0

  init() {}

  /// Whether the transactions have agents and parents.
  package var isConcurrent: Bool { header["kind"] == "concurrent" }

  /// A value of the head that is a number.
  package func number(_ name: String) -> Int? { header[name].flatMap { Int($0) } }

  /// The transactions up to some of them that were not yet seen, parents first.
  ///
  /// It marks them as seen.
  package func unseen(upTo last: [Int], seen: inout Set<Int>) -> [Int] {
    var found: [Int] = []
    var waiting = last
    while let transaction = waiting.popLast() {
      guard seen.insert(transaction).inserted else { continue }
      found.append(transaction)
      waiting += transactions[transaction].parents
    }
    return found.sorted()
  }

  /// Whether a file begins as such a trace: with a remark, or with a name in small letters
  /// and a space.
  package static func isRecognized(in bytes: some Sequence<UInt8>) -> Bool {
    var length = 0
    for byte in bytes {
      if length == 0, byte == UInt8(ascii: "#") { return true }
      guard UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte else {
        return length > 0 && byte == UInt8(ascii: " ")
      }
      length += 1
    }
    return false
  }
}
