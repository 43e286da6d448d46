// Package pyliteral reads what Python's repr writes of None, booleans, numbers,
// strings, lists, tuples and dicts, as some data sets hold their values:
// {'4_0': {'Name': "Li's", 'Age': 28}}.
//
//	value  = "None" | "True" | "False" | number | string | list | tuple | dict
//	list   = "[" [ value { "," value } [ "," ] ] "]"
//	tuple  = "(" ")" | "(" value "," [ value { "," value } [ "," ] ] ")"
//	dict   = "{" [ value ":" value { "," value ":" value } [ "," ] ] "}"
//
// A number is that of JSON. A string stands in one quote of either kind and has the
// escapes \\ \' \" \n \r \t \xhh \uhhhh \Uhhhhhhhh. Starlark's parser would not do: it
// refuses \xe9, which repr writes.
package pyliteral
