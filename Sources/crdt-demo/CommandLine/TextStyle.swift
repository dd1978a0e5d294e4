/// How text stands out on a terminal that has colours.
enum TextStyle: String {
  case bold = "1"
  case dim = "2"
  case green = "1;32"
  case red = "1;31"
}
