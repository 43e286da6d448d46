package building

// A Boundary says whether a message or a page begins something new. Why comes first, so
// that a model gives its reason before it decides.
type Boundary struct {
	Why        string `json:"why"`
	NewEpisode bool   `json:"new_episode"`
	// Confidence is from 0 to 1. Nothing depends on it.
	Confidence float64 `json:"confidence"`
}

// Statements are lasting facts, each a sentence that stands by itself.
type Statements struct {
	Statements []string `json:"statements"`
}

// Keywords are words to look for, separated by commas.
type Keywords struct {
	Keywords string `json:"keywords"`
}
