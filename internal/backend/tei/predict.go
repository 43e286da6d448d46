package tei

// A predictRequest is the body of POST /predict.
type predictRequest struct {
	Inputs    [][2]string `json:"inputs"`
	RawScores bool        `json:"raw_scores"`
	Truncate  bool        `json:"truncate"`
}

// A prediction is one label's score; what is missing is nil.
type prediction struct {
	Label *string  `json:"label"`
	Score *float64 `json:"score"`
}
