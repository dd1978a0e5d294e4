internal import Synchronization

/// What is to be known of a type before one of its values is taken apart: asked
/// once for each type, since asking takes longer than the work itself.
struct TypeTraits: Sendable {
  /// How values of a type are written.
  enum Form: Sendable {
    /// As their `Codable` says.
    case plain
    /// In order; see ``HashOrdered``.
    case collection
    /// In their own form; see ``BytesCodable``.
    case state
    /// As one; see ``WholeValue``.
    case whole
    /// As one, where it has parts: it is a type of the platform's, whose parts nobody but the
    /// type knows how to change, as the number and the unit of a measurement.
    case composite
    /// Values say less than the type's name.
    case known(WellKnownType)
  }

  let form: Form
  /// Whether the type lists its fields by hand; see ``FieldRepresentable``.
  let listsFields: Bool

  private static let known = TypeTable<TypeTraits>()

  /// The traits of a value's type.
  static func of<Value>(_ value: Value) -> TypeTraits {
    known.value(of: ObjectIdentifier(Value.self)) {
      TypeTraits(form: form(of: value), listsFields: Value.self is any FieldRepresentable.Type)
    }
  }

  private static func form<Value>(of value: Value) -> Form {
    if Value.self is any HashOrdered.Type { return .collection }
    if Value.self is any BytesCodable.Type { return .state }
    if let known = WellKnownType(Value.self) { return .known(known) }
    let isEnum = Mirror(reflecting: value).displayStyle == .enum
    if isEnum || Value.self is any WholeValue.Type { return .whole }
    return isOfPlatform(Value.self) ? .composite : .plain
  }

  /// The modules of the platform that have `Codable` types; those of the standard library are
  /// scalars or collections.
  private static let platform: Set<String> = [
    "Foundation", "FoundationEssentials", "FoundationInternationalization", "__C",
    "CoreFoundation", "CoreGraphics", "CoreLocation", "CoreMedia", "Dispatch", "HealthKit",
    "MapKit", "Spatial", "SwiftUI", "SwiftUICore", "UniformTypeIdentifiers", "WeatherKit",
  ]

  private static func isOfPlatform(_ type: Any.Type) -> Bool {
    platform.contains(String(String(reflecting: type).prefix { $0 != "." }))
  }
}

/// What was found out about types, each once: many threads read it without waiting.
///
/// Entries are added and never changed or removed, and there are as many as a program has
/// types. Readers see either an entry as a whole or none: its place is told of after it was
/// filled in.
struct TypeTable<Value: BitwiseCopyable & Sendable>: @unchecked Sendable {
  private struct Entry {
    let type: ObjectIdentifier
    let value: Value
    let next: UnsafeRawPointer?
  }

  private static var listCount: Int { 64 }

  /// The newest entries of lists, in one of which each type is.
  private let lists: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

  /// Creates a table that stays for as long as the program.
  init() {
    lists = .allocate(capacity: Self.listCount)
    for place in 0..<Self.listCount { (lists + place).initialize(to: Atomic(nil)) }
  }

  /// What is known of a type; what the body finds out where nothing is.
  ///
  /// Two threads may find it out at once, and must come to the same.
  func value(of type: ObjectIdentifier, else find: () -> Value) -> Value {
    let list = lists + Int((UInt(bitPattern: type) >> 4) % UInt(Self.listCount))
    var newest = list.pointee.load(ordering: .acquiring)
    if let known = value(of: type, from: newest) { return known }
    let value = find()
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    while true {
      entry.initialize(to: Entry(type: type, value: value, next: newest))
      let (isAdded, found) = list.pointee.compareExchange(
        expected: newest, desired: UnsafeRawPointer(entry), ordering: .acquiringAndReleasing)
      if isAdded { return value }
      newest = found
    }
  }

  private func value(of type: ObjectIdentifier, from newest: UnsafeRawPointer?) -> Value? {
    var next = newest
    while let entry = next?.assumingMemoryBound(to: Entry.self) {
      if entry.pointee.type == type { return entry.pointee.value }
      next = entry.pointee.next
    }
    return nil
  }
}

/// Types of Foundation whose own `Codable` form says less than their name.
///
/// They are known by name, since this module does without Foundation.
enum WellKnownType {
  case date, data, url, decimal

  init?<Value>(_ type: Value.Type) {
    // Only structs of these sizes are worth asking for their name.
    guard MemoryLayout<Value>.size >= 8, MemoryLayout<Value>.size <= 24 else { return nil }
    guard let found = Self.names[String(reflecting: type)] else { return nil }
    self = found
  }

  private static let names: [String: WellKnownType] = {
    var names: [String: WellKnownType] = ["__C.NSDecimal": .decimal]
    for module in ["Foundation", "FoundationEssentials"] {
      names["\(module).Date"] = .date
      names["\(module).Data"] = .data
      names["\(module).URL"] = .url
      names["\(module).Decimal"] = .decimal
    }
    return names
  }()

  /// The node of a value, given the one its type made.
  func shaped(_ node: CodableNode) -> CodableNode {
    switch (self, node) {
    case (.date, .double): .shaped(node, .moment)
    case (.data, .array(let elements)):
      Self.bytes(elements).map { .bytes($0) } ?? .shaped(node, .whole)
    case (.url, .object(let fields)) where fields.count == 1: fields[0].node
    case (.decimal, .object(let fields)):
      DecimalText(fields).map { .text($0.text) } ?? .shaped(node, .whole)
    default: .shaped(node, .whole)
    }
  }

  /// The bytes that an array's elements are; `nil` if some are not.
  private static func bytes(_ elements: [CodableNode]) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.count)
    for element in elements {
      guard case .uint(let byte) = element, byte <= UInt64(UInt8.max) else { return nil }
      bytes.append(UInt8(byte))
    }
    return bytes
  }

  /// The node that the type understands, of one that a document has; `nil` where
  /// it is the same.
  func node(of node: CodableNode) -> CodableNode? {
    switch (self, node) {
    case (.url, .text): return .object([CodableNode.Field(key: "relative", node: node)])
    case (.decimal, .text(let text)): return DecimalText(text)?.node
    case (.decimal, .int(let number)): return DecimalText("\(number)")?.node
    // The shortest text of the number is what was meant.
    case (.decimal, .double(let number)): return DecimalText("\(number)")?.node
    case (.date, .text(let text)): return MomentText.seconds(of: text).map { .double($0) }
    case (.data, .text(let text)): return Base64.bytes(of: text).map { .bytes($0) }
    default: return nil
    }
  }
}
