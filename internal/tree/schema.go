package tree

import (
	"errors"
	"io"
)

var errNotYet = errors.New("tree: not yet written")

// A Schema says which types of nodes a tree has, what fields they carry and
// what may stand below them.
type Schema struct {
	Root  string `yaml:"root"`  // type of the root
	Types []Type `yaml:"types"` // the root's first, each before those below it
	// Inferred is set when the schema was read off a tree.
	Inferred bool `yaml:"-"`
}

// A Type describes nodes of a type.
type Type struct {
	Name string `yaml:"name"`
	// Key is the field that tells its nodes apart for people, such as "index"
	// or "name"; empty for none.
	Key      string      `yaml:"key,omitempty"`
	Fields   []FieldType `yaml:"fields,omitempty"`
	Children []string    `yaml:"children,omitempty"` // types that may stand below
}

// A FieldType describes a field.
type FieldType struct {
	Name string `yaml:"name"`
	// Attribute is set when XML has the field as an attribute, and Item is the
	// element of each value where it has a list. Else it is an element with
	// text.
	Attribute bool   `yaml:"attribute,omitempty"`
	Item      string `yaml:"item,omitempty"`
	Required  bool   `yaml:"required,omitempty"`
	// Values are all that the field may say, where they are few: in a schema
	// that is inferred, those seen.
	Values []string `yaml:"values,omitempty"`
}

// Type returns the type of a name.
func (s *Schema) Type(name string) (Type, bool) { return Type{}, false }

// Text writes the schema for a prompt: a line a type, indented by depth, with
// key, fields and known values.
func (s *Schema) Text() string { return "" }

// ParseSchema reads a schema from YAML.
func ParseSchema(name string, data []byte) (*Schema, error) { return nil, errNotYet }

// XMLOptions say how XML is read.
type XMLOptions struct {
	Schema *Schema // nil infers one
	// Nodes are element names that are types of nodes, whatever they look like:
	// without it an element that holds nothing but text is a field of its
	// parent.
	Nodes []string
}

// ParseXML reads a tree. Both styles of XML are read, and mixed: fields as
// attributes, and fields as elements that hold text or a list of elements that
// do. The name is for messages. A DTD is refused.
func ParseXML(name string, r io.Reader, o XMLOptions) (*Tree, error) { return nil, errNotYet }

// WriteOptions say how XML is written.
type WriteOptions struct {
	IDs    bool // each node has its id as attribute "id"
	Indent bool // lines indented by two blanks; else no white space between elements
	// Depth is how many levels below the node are written; 0 is all.
	Depth int
}

// WriteXML writes a subtree in the style of the schema. What [ParseXML] reads
// back with the same schema is equal.
func WriteXML(w io.Writer, n *Node, s *Schema, o WriteOptions) error { return errNotYet }
