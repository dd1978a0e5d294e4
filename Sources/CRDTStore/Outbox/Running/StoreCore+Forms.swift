import CRDTKit

extension StoreCore {
  /// A record of a server, with values in the forms in which its model has them: what JSON
  /// can't tell from a text, as a date, only the type of the field says.
  ///
  /// What the model can't read stays as it is. The monitor is held.
  func inOwnForms(_ server: ServerRecord) -> ServerRecord {
    guard !server.isDeleted, let model = options.models[server.record.collection]?.type else {
      return server
    }
    var server = server
    let held = server.fields.isEmpty ? [:] : heldFields(of: server.record)
    guard let own = model.ownForm(of: held.merging(server.fields) { $1 }) else { return server }
    for (name, value) in server.fields {
      if let own = own[name] { server.fields[name] = value.takingForm(of: own) }
    }
    return server
  }
}

extension Replicated {
  /// Fields as the type would write them; `nil` where it can't read them.
  fileprivate static func ownForm(
    of fields: [String: Document.Value]
  ) -> [String: Document.Value]? {
    guard let model = try? model(from: fields) else { return nil }
    return try? model.keptFields()
  }
}
