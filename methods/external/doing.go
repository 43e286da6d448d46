package external

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"recallbench/internal/outside/wire"
	"recallbench/internal/text/termsafe"
)

// A stage is how far the building of a memory is.
type stage struct {
	added, sessions int
	said            string // by the adapter, of what it is at
}

// at notes that sessions of a memory were added; all of them with done.
func (m *memory) at(added int, done bool) {
	m.method.mu.Lock()
	defer m.method.mu.Unlock()
	if done {
		delete(m.doing, m.name)
		return
	}
	m.doing[m.name] = stage{added: added, sessions: len(m.sessions)}
}

// maxSaid bounds what is shown of an adapter's own words, in characters.
const maxSaid = 40

// progressed notes what an adapter says of a memory that is built.
func (m *method) progressed(p wire.ProgressParams) {
	said := fmt.Sprintf("%.6g", p.Done)
	if p.Total > 0 {
		said += fmt.Sprintf("/%.6g", p.Total)
	}
	note := []rune(termsafe.Text(p.Note))
	if len(note) > 0 {
		said = string(note[:min(len(note), maxSaid)]) + " " + said
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.doing[p.Memory]; ok {
		s.said = said
		m.doing[p.Memory] = s
	}
}

// Doing implements [methods.Reporter].
func (m *method) Doing() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.doing) == 0 {
		return ""
	}
	var all stage
	for _, name := range slices.Sorted(maps.Keys(m.doing)) {
		s := m.doing[name]
		all.added, all.sessions, all.said = all.added+s.added, all.sessions+s.sessions, cmp.Or(all.said, s.said)
	}
	text := fmt.Sprintf("%s has %d/%d sessions", termsafe.Text(m.info.Name), all.added, all.sessions)
	if all.said != "" {
		text += " (" + all.said + ")"
	}
	return text
}
