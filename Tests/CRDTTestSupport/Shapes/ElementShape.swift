package import CRDTKit
import CRDTStoreTesting

/// The elements that schedules put into sets: numbers stand for them.
package protocol SampleElement: Hashable, CanonicalCodable {
  static func sample(_ number: Int) -> Self
  /// How the element is written; equal elements that are not alike differ in it.
  var spelling: String { get }
}

extension Int: SampleElement {
  package static func sample(_ number: Int) -> Int { number }
  package var spelling: String { String(self) }
}

extension String: SampleElement {
  /// Texts that share beginnings, are empty, or are equal in two spellings.
  package static func sample(_ number: Int) -> String {
    switch number {
    case 0: "\u{E9}"
    case 1: "e\u{301}"
    case 2: ""
    case 3: "\u{1F468}\u{200D}\u{1F469}"
    default: String(repeating: "key-", count: number % 3) + String(number)
    }
  }

  package var spelling: String {
    unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: ".")
  }
}

/// How many different elements there are.
package let sampleCount = 28

/// An element: often one of a few, so that replicas meet.
func randomSample(using random: inout SeededGenerator) -> Int {
  Int.random(in: 0..<(Bool.random(using: &random) ? 4 : sampleCount), using: &random)
}

extension ReferenceTable {
  /// The spellings of the elements under a path, each once, in the order of dots,
  /// as the samples' numbers.
  func elements<Element: SampleElement>(under path: [String], as _: Element.Type) -> [Element] {
    var elements: [Element] = []
    for dot in dots(under: path).sorted() {
      guard let number = rows[dot]?.payload else { continue }
      let element = Element.sample(number)
      if !elements.contains(element) { elements.append(element) }
    }
    return elements
  }

  func elementPath(_ path: [String], _ element: some SampleElement) -> [String] {
    // Strings that are canonically equal are equal keys of a dictionary, too.
    path + [(element as? String).map { "\"" + $0 } ?? element.spelling]
  }
}

func describe<Element: SampleElement>(
  _ elements: [Element], count: Int, isEmpty: Bool, contains: (Element) -> Bool
) -> String {
  let found = (0..<sampleCount).filter { contains(.sample($0)) }
  return "\(count) \(isEmpty) \(elements.map(\.spelling)) \(found)"
}
