// Package pyliteral reads Python literals, as data sets hold them that were
// written with Python's repr: {'4_0': {'Name': "Li's", 'Age': 28}}.
//
// The grammar is what Python's ast.literal_eval takes of this:
//
//	value  = "None" | "True" | "False" | number | string | list | tuple | dict | "(" value ")"
//	list   = "[" [ value { "," value } [ "," ] ] "]"
//	tuple  = "(" ")" | "(" value "," [ value { "," value } [ "," ] ] ")"
//	dict   = "{" [ value ":" value { "," value ":" value } [ "," ] ] "}"
//	number = [ "+" | "-" ] ( integer | float )
//	string = literal { literal }
//
// An integer is decimal, hexadecimal, octal or binary, and may have
// underscores. A string literal stands in one or three quotes of either kind,
// with a prefix r, u, b, rb or br in any case, and has Python's escapes.
// Literals that follow one another are one string. Line breaks are blanks
// within brackets; around the literal any blanks are.
//
// Left out are sets, complex numbers, the ellipsis, tuples without brackets,
// formatted strings, characters by name (\N{DASH}), comments, lines joined by
// a backslash, and signs before anything but digits. Python's strings may hold
// halves of surrogate pairs; they are no characters and are refused.
//
// Texts are hostile: their size and depth are bounded, see [MaxSize] and
// [MaxDepth].
package pyliteral
