package xmemory

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"recallbench/methods/internal/building"
	"recallbench/methods/internal/episodes"
)

// A part is what is kept of a building: an episode with its statements, or the
// summary of a theme. One of the two is set.
type part struct {
	episodes.Part
	Summary *keptSummary `json:"summary,omitempty"`
}

// A keptSummary is the summary of some facts, which a hash stands for: themes of
// other options have other facts.
type keptSummary struct {
	Facts string `json:"facts_sha256"`
	Text  string `json:"text"`

	use func()
}

func factsHash(texts []string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// takeSummaries takes the summaries that an earlier building kept.
func (b *builder) takeSummaries() error {
	return building.Kept(b.keeper, func(p part, use func()) error {
		if p.Summary != nil {
			p.Summary.use = use
			b.summaries[p.Summary.Facts] = *p.Summary
		}
		return nil
	})
}
