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

	"recallbench/internal/files/datafile"
)

// Limits of a document. Files written by a person stay within them, and decoding a
// larger one may take more memory than there is.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 64
	maxValues = 100_000 // with every alias expanded
)

// A Document is a YAML document and the faults found in it so far.
type Document struct {
	name   string
	root   *node
	faults []Fault
	// faulty holds the paths that a fault lies at or below.
	faulty map[string]bool
}

// Parse reads the only document of a file. Messages use the name. An error is
// of type *[Error].
func Parse(name string, data []byte) (*Document, error) {
	root, fault := compose(data, origin{file: name})
	if fault != nil {
		return nil, &Error{[]Fault{*fault}}
	}
	return &Document{name: name, root: root, faulty: make(map[string]bool)}, nil
}

// compose reads a document's nodes, whose aliases are without cycles, and whose depth
// and number are within bounds.
func compose(data []byte, at origin) (*node, *Fault) {
	y, fault := load(data)
	if fault == nil {
		r := &reading{origin: at, open: make(map[*yaml.Node]bool)}
		root := r.node(y, 0)
		if fault = r.fault; fault == nil {
			root.place(at.path)
			return root, nil
		}
	}
	fault.File = at.file
	return nil, fault
}

// load reads the nodes of the only document of a file.
func load(data []byte) (*yaml.Node, *Fault) {
	switch {
	case len(data) > MaxBytes:
		return nil, &Fault{Msg: fmt.Sprintf("the file is larger than %d bytes, the limit for a YAML file", MaxBytes)}
	case !utf8.Valid(data):
		at := datafile.Invalid(data)
		line := data[bytes.LastIndexByte(data[:at], '\n')+1 : at]
		return nil, &Fault{Line: datafile.Line(data, at), Col: 1 + utf8.RuneCount(line), Msg: "this is not UTF-8; save the file as UTF-8"}
	}
	loader, err := yaml.NewLoader(bytes.NewReader(datafile.TrimBOM(data)), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(maxDepth))))
	if err != nil {
		return nil, &Fault{Msg: err.Error()}
	}
	var doc, second yaml.Node
	if err = loader.Load(&doc); errors.Is(err, io.EOF) {
		return nil, &Fault{Line: 1, Col: 1, Msg: "the file is empty; want a mapping"}
	}
	if err == nil {
		if err = loader.Load(&second); err == nil {
			return nil, &Fault{Line: second.Line, Col: second.Column, Msg: "a second document begins here; want one document per file"}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, syntaxFault(err)
	}
	return doc.Content[0], nil
}

// syntaxFault turns an error of the YAML reader into a fault.
func syntaxFault(err error) *Fault {
	le, ok := errors.AsType[*yaml.LoadError](err)
	if !ok {
		return &Fault{Msg: err.Error()}
	}
	fault := &Fault{Line: le.Mark.Line, Col: le.Mark.Column, Msg: "syntax: " + le.Message}
	switch {
	case strings.Contains(le.Message, "max depth"):
		fault.Msg = fmt.Sprintf("nested more than %d levels deep", maxDepth)
	case strings.Contains(le.Message, "cannot start any token"):
		fault.Msg = "syntax: a plain value cannot begin with this character; quote it, and indent with spaces, not tabs"
	case le.ContextMsg != "":
		fault.Msg += fmt.Sprintf(" %s that begins at %d:%d", le.ContextMsg, le.ContextMark.Line, le.ContextMark.Column)
		if strings.Contains(le.Message, "node content") {
			fault.Msg += "; close each [ and {"
		}
	}
	return fault
}

// A reading turns the nodes of the YAML reader into those of a document. After a fault
// it goes no deeper.
type reading struct {
	origin origin
	values int
	open   map[*yaml.Node]bool // nodes that are being read
	fault  *Fault
}

func (r *reading) fail(y *yaml.Node, format string, args ...any) *node {
	if r.fault == nil {
		r.fault = &Fault{Line: y.Line, Col: y.Column, Msg: fmt.Sprintf(format, args...)}
	}
	return new(node)
}

func (r *reading) node(y *yaml.Node, depth int) *node {
	if y.Kind == yaml.AliasNode {
		if r.open[y.Alias] {
			return r.fail(y, "anchor &%s contains an alias of itself", y.Alias.Anchor)
		}
		return r.node(y.Alias, depth+1)
	}
	switch r.values++; {
	case r.values > maxValues:
		return r.fail(y, "holds more than %d values, aliases expanded", maxValues)
	case depth > maxDepth:
		return r.fail(y, "nested more than %d levels deep, aliases expanded", maxDepth)
	}
	r.open[y] = true
	defer delete(r.open, y)
	n := &node{kind: y.Kind, tag: y.ShortTag(), value: y.Value, plain: y.Style == 0, origin: r.origin}
	n.line, n.col = y.Line, y.Column
	for _, c := range y.Content {
		if r.fault != nil {
			break
		}
		n.content = append(n.content, r.node(c, depth+1))
	}
	if n.kind == yaml.MappingNode && r.fault == nil {
		n.pair()
	}
	return n
}
