import CRDTKit

/// One of CRDTKit's own types, as a node of an experiment holds it.
protocol ReplicatedContent {
  associatedtype Value: TableBacked

  /// What a node begins with.
  static func makeValue() -> Value

  /// Makes an update of an experiment.
  static func apply(_ update: ExperimentUpdate, to value: inout Value, by replica: ReplicaID)

  /// What the value says, as the experiments' lattices say it; `node` gives the place
  /// of a replica.
  static func reading(
    of value: Value, node: (ReplicaID) -> UInt64
  ) -> [UInt64: UInt64]
}
