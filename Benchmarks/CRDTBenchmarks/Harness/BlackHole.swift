/// Uses a value in the optimiser's eyes, so that making it is not left out.
@inline(never)
@_optimize(none)
func blackHole<Value>(_ value: Value) {}
