package pyliteral

// A Kind is the type of a literal.
type Kind string

// The kinds of literals, named as messages name them.
const (
	None  Kind = "None"
	Bool  Kind = "a boolean"
	Int   Kind = "an integer"
	Float Kind = "a float"
	Str   Kind = "a string"
	Bytes Kind = "a byte string"
	List  Kind = "a list"
	Tuple Kind = "a tuple"
	Dict  Kind = "a dict"
)

// A Value is a literal.
type Value struct {
	Kind Kind
	// Text is a string, decoded; the bytes of a byte string; a number as it is
	// written, its sign before it; or True or False.
	Text  string
	Items []Value // of a list or a tuple
	// Pairs are those of a dict, in the order of the text. Of equal keys
	// Python keeps the last; here are all.
	Pairs  []Pair
	Offset int // of its first byte
}

// A Pair is a key of a dict with its value.
type Pair struct{ Key, Value Value }
