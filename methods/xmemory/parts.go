package xmemory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

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
	for i, kept := range b.keeper.Parts() {
		var p part
		if err := json.Unmarshal(kept.Data, &p); err != nil {
			return fmt.Errorf("part %d of the kept memory: %w", i+1, err)
		}
		if p.Summary != nil {
			p.Summary.use = kept.Use
			b.summaries[p.Summary.Facts] = *p.Summary
		}
	}
	return nil
}
