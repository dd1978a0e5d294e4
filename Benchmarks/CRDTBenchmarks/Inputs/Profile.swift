/// A model of twenty fields, as apps have them.
struct Profile: Codable {
  struct Address: Codable {
    var street = "Storgata 12"
    var city = "Oslo"
    var zip = 155
  }

  enum Plan: String, Codable { case free, paid }

  var name = "Kari Nordmann"
  var email = "kari@example.org"
  var phone = "+47 22 22 22 22"
  var bio = "Writes about lakes."
  var language = "nb"
  var zone = "Europe/Oslo"
  var age = 41
  var visits = 1_203
  var height = 1.71
  var isActive = true
  var isAdmin = false
  var plan = Plan.free
  var address = Address()
  var manager: String?
  var score = 12.5
  var created = 1_750_000_000
  var updated = 1_760_000_000
  var tags = ["water", "maps"]
  var colour: String? = "blue"
  var note = 0
}

extension Profile {
  /// A profile with a note that no other number has.
  init(noted number: Int) {
    note = number * 7_919 % 10_007
  }
}
