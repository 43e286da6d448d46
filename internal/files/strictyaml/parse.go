package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// A Document is a YAML document and the faults found in it so far.
type Document struct {
	name   string
	root   *node
	faults []Fault
	// faulty holds the paths that a fault lies at or below.
	faulty map[string]bool
}

// Parse reads the only document of a file. The name stands in messages. An
// error is of type *[Error].
func Parse(name string, data []byte) (*Document, error) {
	root, fault := compose(data, origin{name, true})
	if fault != nil {
		fault.File = name
		return nil, &Error{[]Fault{*fault}}
	}
	return &Document{name: name, root: root, faulty: make(map[string]bool)}, nil
}

// Err returns all faults found so far as an error of type *[Error], or nil. A
// fault of what was copied comes once.
func (d *Document) Err() error {
	if len(d.faults) == 0 {
		return nil
	}
	said := make(map[Fault]bool)
	faults := slices.DeleteFunc(slices.Clone(d.faults), func(f Fault) bool {
		again := said[f]
		said[f] = true
		return again
	})
	return &Error{sorted(faults, d.name)}
}

// compose reads a document's nodes, whose aliases are without cycles, and whose depth
// and number are within bounds.
func compose(data []byte, from origin) (*node, *Fault) {
	if fault := checkBytes(data); fault != nil {
		return nil, fault
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	var doc yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, &Fault{Line: 1, Col: 1, Msg: "the file is empty; want a mapping"}
	case err != nil:
		return nil, syntaxFault(data, err)
	}
	var second yaml.Node
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, syntaxFault(data, err)
	default:
		return nil, &Fault{Line: second.Line, Col: second.Column, Msg: "a second document begins here; want one document in a file"}
	}
	return (&reading{from: from, open: make(map[*yaml.Node]bool)}).node(doc.Content[0], 0)
}

// checkBytes finds what can be said before the syntax is looked at.
func checkBytes(data []byte) *Fault {
	at := func(i int, msg string) *Fault {
		head := data[:i]
		line := head[bytes.LastIndexByte(head, '\n')+1:]
		return &Fault{Line: 1 + bytes.Count(head, []byte("\n")), Col: 1 + utf8.RuneCount(line), Msg: msg}
	}
	switch {
	case len(data) > MaxBytes:
		return &Fault{Msg: fmt.Sprintf("the file is larger than %d bytes; this is no config", MaxBytes)}
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return at(0, "the file is UTF-16; save it as UTF-8")
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return at(i, fmt.Sprintf("byte %#02x is not UTF-8; save the file as UTF-8", data[i]))
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			return at(i, fmt.Sprintf("control character %U; remove it, or write it as an escape in double quotes", r))
		}
		i += n
	}
	return nil
}

// syntaxFault turns an error of the YAML reader into a fault, in plainer words
// where the commonest slips are concerned.
func syntaxFault(data []byte, err error) *Fault {
	le, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Fault{Msg: err.Error()}
	}
	fault := &Fault{Line: le.Mark.Line, Col: le.Mark.Column, Msg: le.Message}
	switch r := runeAt(data, fault.Line, fault.Col); {
	case strings.Contains(le.Message, "max depth"):
		fault.Msg = fmt.Sprintf("nested more than %d levels deep", maxDepth)
	case le.Stage == yaml.ComposerStage:
	case r == '\t':
		fault.Msg = "syntax: a tab; indent with spaces"
	case strings.Contains(le.Message, "cannot start any token"):
		fault.Msg = fmt.Sprintf("syntax: a plain value cannot begin with %q; quote it", r)
	default:
		fault.Msg = "syntax: " + le.Message
		if le.ContextMsg != "" {
			fault.Msg += fmt.Sprintf(" %s that begins at %d:%d", le.ContextMsg, le.ContextMark.Line, le.ContextMark.Column)
		}
	}
	return fault
}

// runeAt returns the character at a position, 0 where there is none.
func runeAt(data []byte, line, col int) rune {
	n := 0
	for text := range bytes.Lines(data) {
		if n++; n < line {
			continue
		}
		runes := []rune(string(text))
		if col < 1 || col > len(runes) {
			return 0
		}
		return runes[col-1]
	}
	return 0
}
