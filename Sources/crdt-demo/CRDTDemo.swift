@main enum CRDTDemo { static func main() { print("crdt-demo") } }
