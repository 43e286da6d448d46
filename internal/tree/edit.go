package tree

// An Op is what an edit does.
type Op string

// The operations.
const (
	Create Op = "create" // put Node below Parent at At
	Update Op = "update" // set the fields of ID to those in Set, and remove those in Unset
	Delete Op = "delete" // take ID and all below it away
	Move   Op = "move"   // put ID below Parent at At
)

// An Edit is one change of a tree. As JSON it stands in records.
type Edit struct {
	Op Op `json:"op"`
	// ID is the node to update, delete or move. A node that is created keeps
	// the ID of Node; where that is empty it gets a new one.
	ID     string `json:"id,omitempty"`
	Parent string `json:"parent,omitempty"`
	// At is the place among the parent's children after the edit, from 0; -1
	// is the end.
	At   int    `json:"at,omitzero"`
	Node *Draft `json:"node,omitempty"`
	// Unset is done before Set: a field in both goes to the end of the fields.
	// Else a field keeps its place, and a new one goes to the end. Attributes
	// stand before elements all the same.
	Set   []Field  `json:"set,omitempty"`
	Unset []string `json:"unset,omitempty"`
	// Text is the new character data of ID, where it changes.
	Text *string `json:"text,omitempty"`
}

// A Draft is a subtree that is not part of a tree yet.
type Draft struct {
	Type     string  `json:"type"`
	ID       string  `json:"id,omitempty"`
	Fields   []Field `json:"fields,omitempty"`
	Text     string  `json:"text,omitempty"`
	Children []Draft `json:"children,omitempty"`
}

// DraftOf returns a copy of a subtree with its ids.
func DraftOf(n *Node) Draft {
	d := shallowDraft(n)
	for _, c := range n.Children {
		d.Children = append(d.Children, DraftOf(c))
	}
	return d
}

func shallowDraft(n *Node) Draft {
	return Draft{Type: n.Type, ID: n.ID, Fields: copyFields(n.Fields), Text: n.Text}
}
