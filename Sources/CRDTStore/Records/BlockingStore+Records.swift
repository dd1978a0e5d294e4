import CRDTKit

extension BlockingStore {
  /// The record as it is committed: see ``Store/get(_:_:)``.
  public func get<Model: Replicated>(_ type: Model.Type, _ id: Model.ID) throws -> Model? {
    try core.get(type, id)
  }

  /// The records that a query asks for: see ``Store/all(_:where:)-(_,Query<Model>)``.
  public func all<Model: Replicated>(
    _ type: Model.Type, where query: Query<Model> = .all
  ) -> Records<Model> {
    core.records(query)
  }

  /// A record for a form to show: see ``Store/draft(_:_:)``.
  public func draft<Model: Replicated>(
    _ type: Model.Type, _ id: Model.ID
  ) throws -> Draft<Model> {
    try core.draft(type, id)
  }

  /// How a record stands with the server: see ``Store/status(of:_:)``.
  public func status<Model: Replicated>(of type: Model.Type, _ id: Model.ID) -> RecordStatus {
    core.status(of: Model.record(id))
  }

  /// How the collections stand: see ``Store/statuses``.
  public var statuses: [CollectionStatus] { core.statuses }
}
