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
	note            string // of the adapter
}

// at notes how many sessions of a memory were added.
func (m *memory) at(added int) {
	m.method.mu.Lock()
	defer m.method.mu.Unlock()
	m.progress[m.name] = stage{added: added, sessions: len(m.sessions)}
}

// built notes that a memory is built no more.
func (m *memory) built() {
	m.method.mu.Lock()
	defer m.method.mu.Unlock()
	delete(m.progress, m.name)
}

// progressed notes what an adapter says of a memory that is built.
func (m *method) progressed(p wire.ProgressParams) {
	note := fmt.Sprintf("%.40s %.6g", termsafe.Text(p.Note), p.Done)
	if p.Total > 0 {
		note += fmt.Sprintf("/%.6g", p.Total)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s, ok := m.progress[p.Memory]; ok {
		s.note = note
		m.progress[p.Memory] = s
	}
}

// Progress implements [methods.Reporter].
func (m *method) Progress() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.progress) == 0 {
		return ""
	}
	var all stage
	for _, name := range slices.Sorted(maps.Keys(m.progress)) {
		s := m.progress[name]
		all = stage{all.added + s.added, all.sessions + s.sessions, cmp.Or(all.note, s.note)}
	}
	text := fmt.Sprintf("%s has %d/%d sessions", termsafe.Text(m.info.Name), all.added, all.sessions)
	if all.note != "" {
		text += " (" + all.note + ")"
	}
	return text
}
