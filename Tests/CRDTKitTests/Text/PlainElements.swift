import CRDTTestSupport
import Toolkit

@testable import CRDTKit

extension DotTable {
  /// The elements of each replica's events after a base, as a plain list; those of replicas
  /// without events after it are left out.
  func plainElements(
    after base: VersionVector = [:]
  ) -> [(replica: UInt64, elements: [PlainElement])] {
    columns.filter { $0.seen > base[$0.replica] }.map { column in
      (
        column.replica.rawValue,
        column.texts.plainElements.filter { $0.id.counter > base[column.replica] }
      )
    }
  }
}

extension TextColumn {
  /// The elements as a plain list.
  fileprivate var plainElements: [PlainElement] {
    pages.flatMap { page in (0..<TextPage.slotCount).compactMap { page.plainElement(at: $0) } }
  }
}

extension TextPage {
  /// The element in a slot; `nil` if there is none.
  fileprivate func plainElement(at slot: Int) -> PlainElement? {
    guard present[slot] else { return nil }
    let anchor = anchor(of: slot)
    var scalar: Unicode.Scalar?
    if !dead[slot] {
      scalar = withText(of: slot..<slot + 1) {
        String(decoding: $0, as: UTF8.self).unicodeScalars.first
      }
    }
    return PlainElement(
      ElementID(Dot(replica, counter(at: slot))), anchor.parent.plainParent, isLeft: anchor.isLeft,
      before: anchor.rightOrigin.isNone ? nil : ElementID(anchor.rightOrigin),
      standInCount: Int(anchor.standInCount), scalar)
  }
}

extension Dot {
  fileprivate var plainParent: PlainElement.Parent {
    guard isStart else { return .element(ElementID(self)) }
    if isNone { return .start }
    var writer = ByteWriter()
    replica.encode(to: &writer)
    writer.write(fixed: counter)
    return .named(writer.finish())
  }
}

extension ElementID {
  fileprivate init(_ dot: Dot) {
    self.init(replica: dot.replica.rawValue, counter: dot.counter)
  }
}
