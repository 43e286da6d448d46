package strictyaml

import (
	"fmt"

	"go.yaml.in/yaml/v4"
)

// Bounds of a document. Beyond them it is no config that a person wrote, and
// decoding it may take more memory than there is.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 64
	MaxValues = 100_000 // with every alias expanded
)

// A sizer measures nodes with their aliases expanded, each node once.
type sizer struct {
	sizes map[*yaml.Node]size // the zero size while a node is being measured
}

type size struct{ values, depth int }

func (s *sizer) check(n *yaml.Node) *Fault {
	fault := func(format string, args ...any) *Fault {
		return &Fault{Line: n.Line, Col: n.Column, Msg: fmt.Sprintf(format, args...)}
	}
	if known, ok := s.sizes[n]; ok {
		if known.values == 0 {
			return fault("anchor &%s contains an alias of itself", n.Anchor)
		}
		return nil
	}
	s.sizes[n] = size{}
	total := size{values: 1}
	inner := n.Content
	if n.Kind == yaml.AliasNode {
		inner = []*yaml.Node{n.Alias}
	}
	for _, c := range inner {
		if fault := s.check(c); fault != nil {
			return fault
		}
		total.values += s.sizes[c].values
		total.depth = max(total.depth, s.sizes[c].depth+1)
	}
	switch {
	case total.values > MaxValues:
		return fault("holds more than %d values, aliases expanded", MaxValues)
	case total.depth > maxDepth:
		return fault("nested more than %d levels deep, aliases expanded", maxDepth)
	}
	s.sizes[n] = total
	return nil
}
