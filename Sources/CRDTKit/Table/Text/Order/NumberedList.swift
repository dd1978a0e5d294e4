/// Values in the order of their numbers, few of which are missing as a rule.
struct NumberedList<Value: Sendable>: Sendable {
  struct Item: Sendable {
    var number: UInt64
    var value: Value
  }

  var items: ContiguousArray<Item> = []

  /// Returns the index of the item with a number.
  ///
  /// - Complexity: O(1) if no number is missing before it, otherwise O(log n).
  @inline(__always)
  func find(_ number: UInt64) -> Int? {
    let index = place(of: number)
    return index < items.count && items[index].number == number ? index : nil
  }

  /// Changes the value of a number in place.
  @inline(__always)
  mutating func update(
    _ number: UInt64, ifMissing value: @autoclosure () -> Value, _ body: (inout Value) -> Void
  ) {
    let index = place(of: number)
    if index == items.count || items[index].number != number {
      items.insert(Item(number: number, value: value()), at: index)
    }
    body(&items[index].value)
  }

  /// Returns the index of a number, or where it would stand.
  @inline(__always)
  private func place(of number: UInt64) -> Int {
    guard let first = items.first, number > first.number else { return 0 }
    // The place that it has if no number is missing.
    let guess = number &- first.number
    if guess < items.count, items[Int(guess)].number == number { return Int(guess) }
    var low = 1
    var high = items.count
    if items[high &- 1].number < number { return high }
    while low < high {
      let middle = (low &+ high) &>> 1
      if items[middle].number < number { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
