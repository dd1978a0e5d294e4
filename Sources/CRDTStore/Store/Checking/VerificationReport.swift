public import CRDTKit

/// What a look through all of a store's files has found.
public struct VerificationReport: Hashable, Sendable {
  /// What is wrong, in the order of the files.
  public var findings: [StoreFinding] = []
  /// How many files were read, and how many bytes they have.
  public var filesRead = 0
  /// The bytes of the files that were read.
  public var bytesRead = 0
  /// How many changes the segments hold.
  public var changesRead = 0
  /// How many bytes at the end of the log were being written when the store was
  /// last open; they were never acknowledged, and are no damage.
  public var bytesUnfinished = 0

  /// The document that the store has a copy of; `nil` where it has none yet, or it can't be
  /// told.
  public var documentID: DocumentID?

  /// Whether nothing is wrong.
  public var isSound: Bool { findings.isEmpty }
}
