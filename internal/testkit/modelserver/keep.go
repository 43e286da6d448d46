package modelserver

import (
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Keep returns the probability with which the server's classifier keeps a word:
// it depends on the word alone, and is below 0.1 for a word of up to three bytes.
func Keep(word string) float64 {
	d := sha256.Sum256([]byte(word))
	p := float64(d[0]) / 256
	if len(word) <= 3 {
		return p / 10
	}
	return 0.1 + 0.9*p
}

// A keptToken is a token with its place in characters.
type keptToken struct {
	Start int     `json:"start"`
	End   int     `json:"end"`
	Keep  float64 `json:"keep"`
}

// keep plays a token classifier of the protocol of package tokenclassifier. Its tokens
// are what stands between white space.
func (s *Server) keep(r request) ([]byte, *problem) {
	var req struct {
		Texts []string `json:"texts"`
	}
	if err := json.Unmarshal(r.body, &req); err != nil || req.Texts == nil {
		return nil, &problem{status: http.StatusUnprocessableEntity, kind: "Validation", message: "want {\"texts\": [...]}"}
	}
	if s.o.MaxBatch > 0 && len(req.Texts) > s.o.MaxBatch {
		return nil, &problem{status: http.StatusRequestEntityTooLarge, kind: "Validation", message: "more than " + strconv.Itoa(s.o.MaxBatch) + " texts"}
	}
	all := make([][]keptToken, len(req.Texts))
	for i, text := range req.Texts {
		all[i] = []keptToken{}
		at := 0 // in bytes
		for w := range strings.FieldsSeq(text) {
			at += strings.Index(text[at:], w)
			start := utf8.RuneCountInString(text[:at])
			all[i] = append(all[i], keptToken{start, start + utf8.RuneCountInString(w), Keep(w)})
			at += len(w)
		}
	}
	return encode(map[string]any{"tokens": all}), nil
}
