/// One change, to whatever type it is for.
package indirect enum Operation: Hashable, Sendable {
  case insert(Int)
  case remove(Int)
  case removeAll
  /// Write a value, at a time where the type asks for one.
  case set(Int, at: Int)
  case enable
  case disable
  /// Count up, or down by a negative number.
  case add(Int)
  /// Change the value under a key.
  case under(Int, Operation)
  case removeKey(Int)
}

extension Operation: CustomStringConvertible {
  package var description: String {
    switch self {
    case .insert(let number): ".insert(\(number))"
    case .remove(let number): ".remove(\(number))"
    case .removeAll: ".removeAll"
    case .set(let number, let time): ".set(\(number), at: \(time))"
    case .enable: ".enable"
    case .disable: ".disable"
    case .add(let number): ".add(\(number))"
    case .under(let key, let operation): ".under(\(key), \(operation))"
    case .removeKey(let key): ".removeKey(\(key))"
    }
  }
}
