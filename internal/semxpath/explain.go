package semxpath

// A Step is what one step of a query did, for people and viewers to read.
type Step struct{}

func (e *evaluation) explain([]Match) []Step { return nil }
