/// What was wrong with the arguments.
struct UsageError: Error {
  let message: String
}
