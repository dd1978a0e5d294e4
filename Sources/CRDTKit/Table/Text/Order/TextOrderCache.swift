import Synchronization

/// The order of the elements of a table's text, which tables with the same elements share.
///
/// Readers on several threads may bring it up to date at the same time, so a lock guards
/// it. A table that is changed gets a cache of its own first.
@usableFromInline
package final class TextOrderCache: Sendable {
  private let state: Mutex<(order: TextOrder, events: UInt64)>

  @usableFromInline
  init() {
    state = Mutex((TextOrder(), 0))
  }

  private init(_ order: TextOrder, events: UInt64) {
    state = Mutex((order, events))
  }

  /// Returns a cache with the same order, for a table that is about to be changed.
  @usableFromInline
  func copied() -> TextOrderCache {
    let (order, events) = state.withLock { $0 }
    return TextOrderCache(order, events: events)
  }

  /// Passes the order to the body, up to date with a table; if it has to be made anew, with
  /// the text at a start.
  func withOrder<Key, Payload, Result>(
    of table: DotTable<Key, Payload>, reading start: Dot?, _ body: (inout TextOrder) -> Result
  ) -> Result {
    state.withLock { state in
      if state.events != table.eventCount {
        state.order.update(to: table, reading: start)
        state.events = table.eventCount
      }
      return body(&state.order)
    }
  }

  /// Changes a table together with its order, which is brought up to date first.
  func change<Key, Payload>(
    _ table: inout DotTable<Key, Payload>,
    _ body: (inout DotTable<Key, Payload>, inout TextOrder) -> Void
  ) {
    state.withLock { state in
      if state.events != table.eventCount { state.order.update(to: table) }
      body(&table, &state.order)
      // Elements without a parent stand where a function of all elements puts them.
      state.events = state.order.isDoubtful ? 0 : table.eventCount
    }
  }
}

extension DotTable {
  /// Whether any event has an element.
  @inlinable
  var hasTexts: Bool { columns.indices.contains { !columns[$0].texts.isEmpty } }

  /// Passes the order of the elements of the table's texts to the body; if it has to be made
  /// anew, with the text at a start.
  func withOrder<Result>(
    reading start: Dot? = nil, _ body: (inout TextOrder) -> Result
  ) -> Result {
    if let order { return order.withOrder(of: self, reading: start, body) }
    var empty = TextOrder()
    return body(&empty)
  }
}

extension DotTable {
  /// The elements of the text in their order, dead ones too.
  ///
  /// - Complexity: O(elements).
  package var orderedElements: [(dot: Dot, isDead: Bool)] {
    withOrder { order in
      var elements: [(dot: Dot, isDead: Bool)] = []
      order.tree.forEachSpan { span in
        if span.first.isStart { return }
        let first = order.dot(span.first)
        for place in 0..<UInt64(span.count) {
          elements.append((Dot(first.replica, first.counter + place), span.isDead))
        }
      }
      return elements
    }
  }
}
