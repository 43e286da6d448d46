package record

import (
	"testing"

	"recallbench/methods"
)

func TestAdapterNote(t *testing.T) {
	for want, a := range map[string]*methods.Adapter{
		"":                                   nil,
		"adapter mem0 2.2.1, clock: session": {Name: "mem0", Version: "2.2.1", Clock: "session"},
		"adapter zep 1, clock: real; tried to reach other hosts, which was refused: a.example:443, b.example:80": {
			Name: "zep", Version: "1", Clock: "real",
			AskedHosts: map[string]int{"b.example:80": 1, "a.example:443": 12},
		},
	} {
		if got := (Cell{Adapter: a}).AdapterNote(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
