/// A binary heap with fast access to its smallest element.
struct MinHeap<Element: Comparable> {
  private(set) var elements: [Element] = []

  /// The smallest element.
  var min: Element? { elements.first }

  var count: Int { elements.count }

  /// Adds an element.
  ///
  /// - Complexity: O(log n).
  mutating func insert(_ element: Element) {
    var place = elements.count
    elements.append(element)
    while place > 0 {
      let parent = (place - 1) / 2
      guard element < elements[parent] else { break }
      elements[place] = elements[parent]
      place = parent
    }
    elements[place] = element
  }

  /// Removes the smallest element.
  ///
  /// - Complexity: O(log n).
  @discardableResult
  mutating func removeMin() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let least = elements.first else { return last }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < last else { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = last
    return least
  }

  /// Removes all elements that satisfy a condition.
  ///
  /// - Complexity: O(n log n).
  mutating func removeAll(where isToGo: (Element) -> Bool) {
    elements = elements.filter { !isToGo($0) }.sorted()
  }
}

extension MinHeap: Sendable where Element: Sendable {}
