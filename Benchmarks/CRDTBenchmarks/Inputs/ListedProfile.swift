import CRDTKit

/// The same model, with its fields listed by hand.
struct ListedProfile: Codable, FieldRepresentable {
  var profile = Profile()

  init() {}

  init(fields: [String: Document.Value]) throws {
    profile.name = try fields.read("name")
    profile.email = try fields.read("email")
    profile.phone = try fields.read("phone")
    profile.bio = try fields.read("bio")
    profile.language = try fields.read("language")
    profile.zone = try fields.read("zone")
    profile.age = try fields.read("age")
    profile.visits = try fields.read("visits")
    profile.height = try fields.read("height")
    profile.isActive = try fields.read("isActive")
    profile.isAdmin = try fields.read("isAdmin")
    profile.plan = try fields.read("plan")
    profile.address = try fields.read("address")
    profile.manager = try fields.readIfPresent("manager")
    profile.score = try fields.read("score")
    profile.created = try fields.read("created")
    profile.updated = try fields.read("updated")
    profile.tags = try fields.read("tags")
    profile.colour = try fields.readIfPresent("colour")
    profile.note = try fields.read("note")
  }

  var fields: KeyValuePairs<String, Document.Value> {
    let address = profile.address
    return [
      "name": .string(profile.name), "email": .string(profile.email),
      "phone": .string(profile.phone), "bio": .string(profile.bio),
      "language": .string(profile.language), "zone": .string(profile.zone),
      "age": .int(Int64(profile.age)), "visits": .int(Int64(profile.visits)),
      "height": .double(profile.height), "isActive": .bool(profile.isActive),
      "isAdmin": .bool(profile.isAdmin), "plan": .string(profile.plan.rawValue),
      "address": [
        "street": .string(address.street), "city": .string(address.city),
        "zip": .int(Int64(address.zip)),
      ],
      "manager": profile.manager.map { .string($0) } ?? .null,
      "score": .double(profile.score), "created": .int(Int64(profile.created)),
      "updated": .int(Int64(profile.updated)), "tags": .array(profile.tags.map { .string($0) }),
      "colour": profile.colour.map { .string($0) } ?? .null, "note": .int(Int64(profile.note)),
    ]
  }
}
