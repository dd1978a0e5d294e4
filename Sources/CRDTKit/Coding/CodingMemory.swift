/// What values that were written leave behind for those to come: a writer and the
/// reader of its bytes keep the same.
///
/// A subclass says what; readers and writers only carry it along. A copy of a
/// reader gets a memory of its own before either changes it.
@usableFromInline
package class CodingMemory: @unchecked Sendable {
  @usableFromInline
  init() {}

  /// Becomes as new.
  @usableFromInline
  package func forget() {}

  /// Another memory of the same.
  @usableFromInline
  package func copied() -> CodingMemory { CodingMemory() }
}
