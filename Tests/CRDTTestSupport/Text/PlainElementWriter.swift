import Toolkit

/// Encodes the elements of one column by the article on the format, from a plain list.
package struct PlainElementWriter {
  /// The replicas whose events are written, in ascending order.
  private let replicas: [UInt64]
  private let base: UInt64
  private var bytes: [UInt8] = []
  /// The counters of the last parents in anchors: of the column's replica, and of another.
  private var (lastOwn, lastOther): (UInt64, UInt64) = (0, 0)
  private var starts: [[UInt8]] = []

  /// A run of elements in one page, with whether it goes on with one of the page before.
  private struct Run {
    var elements: [PlainElement]
    var goesOn: Bool
  }

  /// Returns the bytes of the elements of a replica's events after a base, in their order.
  package static func encode(
    _ elements: [PlainElement], after base: UInt64 = 0, replicas: [UInt64]
  ) -> [UInt8] {
    var writer = PlainElementWriter(replicas: replicas, base: base)
    writer.write(elements)
    return writer.bytes
  }

  private init(replicas: [UInt64], base: UInt64) {
    (self.replicas, self.base) = (replicas, base)
  }

  private mutating func write(_ elements: [PlainElement]) {
    let pages = pages(of: elements)
    write(UInt64(pages.count))
    var block = PlainElement.block(of: base + 1)
    for page in pages {
      write(page.block - block)
      block = page.block + 1
      write(UInt64(page.runs.count) * 2 + (page.runs[0].goesOn ? 1 : 0))
      var next = max(base + 1, page.block * 1_024 + 1)
      var deadAtEnd = 0
      for run in page.runs {
        write(run, from: next, deadAtEnd, isToEnd: run.elements.last?.id.counter == block * 1_024)
        next = (run.elements.last?.id.counter ?? 0) + 1
        deadAtEnd = run.elements.reversed().prefix { $0.scalar == nil }.count
      }
    }
    var text: [UInt8] = []
    for scalar in elements.compactMap(\.scalar) { text += Array(String(scalar).utf8) }
    write(UInt64(text.count))
    bytes += text
  }

  /// The pages that have elements, with their runs.
  private func pages(of elements: [PlainElement]) -> [(block: UInt64, runs: [Run])] {
    var pages: [(block: UInt64, runs: [Run])] = []
    var rightOrigin: ElementID?
    var previous: PlainElement?
    for element in elements {
      let follows = previous.map { element.follows($0, inRunWith: rightOrigin) } ?? false
      if !follows { rightOrigin = element.rightOriginOfRun }
      let block = PlainElement.block(of: element.id.counter)
      let isNewPage = pages.last?.block != block
      if isNewPage { pages.append((block, [])) }
      let page = pages.count - 1
      if isNewPage || !follows {
        pages[page].runs.append(Run(elements: [element], goesOn: follows))
      } else {
        pages[page].runs[pages[page].runs.count - 1].elements.append(element)
      }
      previous = element
    }
    return pages
  }

  private mutating func write(_ run: Run, from next: UInt64, _ deadBefore: Int, isToEnd: Bool) {
    let first = run.elements[0]
    let gap = Int(first.id.counter - next)
    let dead = Self.deadRuns(of: run.elements)
    let gapKind: UInt8 = gap < 2 ? UInt8(gap) : gap == deadBefore ? 2 : 3
    let count = run.elements.count
    let deadKind: UInt8 =
      if dead.isEmpty {
        0
      } else if dead[0].count == count {
        1
      } else {
        dead.count == 1 && dead[0].upperBound == count ? 2 : 3
      }
    let length = isToEnd ? 0 : min(count, 15)
    bytes.append(UInt8(length) << 4 | deadKind << 2 | gapKind)
    if gapKind == 3 { write(UInt64(gap - 2)) }
    if length == 15 { write(UInt64(count - 15)) }
    if deadKind == 2 { write(UInt64(dead[0].count)) }
    if deadKind == 3 {
      write(UInt64(dead.count - 1))
      var before = 0
      for run in dead {
        write(UInt64(run.lowerBound - before))
        write(UInt64(run.count - 1))
        before = run.upperBound
      }
    }
    if !run.goesOn { writeAnchor(of: first) }
  }

  /// The runs of dead elements, by their places.
  private static func deadRuns(of elements: [PlainElement]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for place in elements.indices where elements[place].scalar == nil {
      if let last = runs.last, last.upperBound == place {
        runs[runs.count - 1] = last.lowerBound..<place + 1
      } else {
        runs.append(place..<place + 1)
      }
    }
    return runs
  }

  private mutating func writeAnchor(of element: PlainElement) {
    if element.standInCount > 0 { write(6 + 8 * UInt64(element.standInCount)) }
    // For the start, distances and replicas are those of the element itself.
    var parent = element.id
    switch element.parent {
    case .start: write(0)
    case .named(let start):
      write(1)
      write(start: start)
    case .element(let id):
      parent = id
      write(parent: id, of: element)
    }
    guard !element.isLeft else { return }
    guard let rightOrigin = element.rightOrigin else { return write(0) }
    let isOther = rightOrigin.replica != parent.replica
    write(Self.zigzag(rightOrigin.counter, parent.counter) * 2 + (isOther ? 1 : 0))
    if isOther { write(replica: rightOrigin.replica) }
  }

  private mutating func write(parent: ElementID, of element: PlainElement) {
    let side: UInt64 = element.isLeft ? 1 : 0
    guard parent.replica == element.id.replica else {
      write(Self.zigzag(parent.counter, lastOther) * 8 + 4 + side)
      lastOther = parent.counter
      return write(replica: parent.replica)
    }
    let own = Self.zigzag(parent.counter, element.id.counter) * 8
    let last = Self.zigzag(parent.counter, lastOwn) * 8
    let isShorter = Self.varint(last).count < Self.varint(own).count
    write((isShorter ? last + 2 : own) + side)
    lastOwn = parent.counter
  }

  private mutating func write(start: [UInt8]) {
    if let place = starts.firstIndex(of: start) { return write(UInt64(place) + 1) }
    starts.append(start)
    write(0)
    bytes += start
  }

  private mutating func write(replica: UInt64) {
    let place = replicas.firstIndex(of: replica)
    write(place.map { UInt64($0) + 1 } ?? 0)
    if place == nil {
      for shift in 0..<8 { bytes.append(UInt8(replica >> (56 - 8 * shift) & 255)) }
    }
  }

  private mutating func write(_ number: UInt64) { bytes += Self.varint(number) }

  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 128 ? [UInt8(number)] : [UInt8(number & 127 | 128)] + varint(number >> 7)
  }

  private static func zigzag(_ counter: UInt64, _ other: UInt64) -> UInt64 {
    counter >= other ? (counter - other) * 2 : (other - counter) * 2 - 1
  }
}
