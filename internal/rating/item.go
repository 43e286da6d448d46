package rating

// The lowest and the highest rating.
const (
	Lowest  = 1
	Highest = 5
)

// Flags are the names of the errors that raters mark, in the order of sheets.
var Flags = []string{"wrong_entity", "wrong_value", "discourse_mismatch", "hallucination"}

// An Item is an answer to be rated, as a rater sees it. Nothing in it says where
// it comes from.
type Item struct {
	ID string `json:"item"` // opaque
	// Conversation is the same, and opaque, for all answers to one question.
	Conversation string `json:"conversation"`
	Turn         string `json:"turn"` // the user's, that is answered
	Response     string `json:"response"`
	History      string `json:"history"` // a summary
	Facts        string `json:"facts"`   // to check by
}

// A Key says where an item comes from.
type Key struct {
	Sample  string `json:"sample"`
	Request string `json:"request"`
	Cell    string `json:"cell"`
	Method  string `json:"method"` // as tables call it
	// Answer is the SHA-256 of the answer as it was given, in hex.
	Answer string `json:"answer_sha256"`
	// Hidden is set when the answer named a method or a model, which the item
	// does not.
	Hidden bool `json:"name_hidden,omitempty"`
}

// Asked is what raters were asked, with the key to it.
type Asked struct {
	Run     string `json:"run"`
	Dataset string `json:"dataset"`
	Seed    uint64 `json:"seed"`
	// Questions is how many were asked for, and History the bound of a summary in
	// tokens.
	Questions int         `json:"questions"`
	History   int         `json:"history_tokens"`
	Raters    []string    `json:"raters"` // for whom sheets were written
	Items     []AskedItem `json:"items"`  // by question, then by cell
}

// An AskedItem is an item with its key.
type AskedItem struct {
	Item
	Key `json:"key"`
}

// A Rating is what one rater said of one item.
type Rating struct {
	Item  string `json:"item"`
	Rater string `json:"rater"`
	// UCS is 1 to 5, null where it was not given.
	UCS *int `json:"ucs"`
	// Flags holds those that were answered, by name.
	Flags map[string]bool `json:"flags,omitempty"`
	Notes string          `json:"notes,omitempty"`
	Key
	// LeftOut is the reason that a person gave for leaving the rating out of all
	// figures; empty for one that counts.
	LeftOut string `json:"left_out,omitempty"`
}

// Counts reports whether the rating has a value that figures use.
func (r Rating) Counts() bool { return r.UCS != nil && r.LeftOut == "" }

// blank reports whether a rater wrote nothing.
func (r Rating) blank() bool { return r.UCS == nil && len(r.Flags) == 0 && r.Notes == "" }
