package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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
	root, fault := compose(data, origin{from: name})
	if fault != nil {
		return nil, &Error{[]Fault{*fault}}
	}
	return &Document{name: name, root: root, faulty: make(map[string]bool)}, nil
}

// compose reads a document's nodes, whose aliases are without cycles, and whose depth
// and number are within bounds.
func compose(data []byte, at origin) (root *node, fault *Fault) {
	defer func() {
		if r := recover(); r != nil {
			var ok bool
			if fault, ok = r.(*Fault); !ok {
				panic(r)
			}
		}
		if fault != nil {
			fault.File = at.from
		}
	}()
	switch {
	case len(data) > MaxBytes:
		return nil, &Fault{Msg: fmt.Sprintf("the file is larger than %d bytes, which is too large for a config", MaxBytes)}
	case !utf8.Valid(data):
		return nil, notUTF8(data)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	var doc, second yaml.Node
	if err = loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil, &Fault{Line: 1, Col: 1, Msg: "the file is empty; want a mapping"}
	}
	if err == nil {
		if err = loader.Load(&second); err == nil {
			return nil, &Fault{Line: second.Line, Col: second.Column, Msg: "a second document begins here; want one document in a file"}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(data, err)
	}
	r := &reading{origin: at, open: make(map[*yaml.Node]bool)}
	return r.node(doc.Content[0], 0), nil
}

// notUTF8 finds the first byte that is not UTF-8.
func notUTF8(data []byte) *Fault {
	line := 0
	for text := range bytes.Lines(data) {
		line++
		for col := 1; len(text) > 0; col++ {
			r, n := utf8.DecodeRune(text)
			if r == utf8.RuneError && n == 1 {
				return &Fault{Line: line, Col: col, Msg: fmt.Sprintf("byte %#02x is not UTF-8; save the file as UTF-8", text[0])}
			}
			text = text[n:]
		}
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
	switch {
	case strings.Contains(le.Message, "max depth"):
		fault.Msg = fmt.Sprintf("nested more than %d levels deep", maxDepth)
	case le.Stage == yaml.ComposerStage:
	case strings.Contains(le.Message, "cannot start any token"):
		fault.Msg = "syntax: a tab; indent with spaces"
		if r := runeAt(data, fault.Line, fault.Col); r != '\t' {
			fault.Msg = fmt.Sprintf("syntax: a plain value cannot begin with %q; quote it", r)
		}
	default:
		fault.Msg = "syntax: " + le.Message
		if le.ContextMsg != "" {
			fault.Msg += fmt.Sprintf(" %s that begins at %d:%d", le.ContextMsg, le.ContextMark.Line, le.ContextMark.Column)
		}
	}
	return fault
}

// runeAt returns the character at a position of a text, 0 where there is none.
func runeAt(data []byte, line, col int) rune {
	lines := strings.Split(string(data), "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	if runes := []rune(lines[line-1]); col >= 1 && col <= len(runes) {
		return runes[col-1]
	}
	return 0
}
