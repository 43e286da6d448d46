package llm

// A NoteTask asks what a message is about: its keywords, a sentence of context
// and tags. The reply is a [Note] as JSON.
type NoteTask struct{ Line Line }

// Kind implements [Task].
func (NoteTask) Kind() string { return "note" }

// A Note is the reply to a [NoteTask]. The fields have the names that A-Mem's
// released prompts ask for, so that these can be used as they are.
type Note struct {
	Keywords []string `json:"keywords"` // the most important first
	Context  string   `json:"context"`
	Tags     []string `json:"tags"` // broad kinds, such as "hobby"
}

// An EvolveTask asks how a new note and those like it change one another: what
// the note is linked with, and what its tags and its neighbours' contexts and tags
// become. The reply is an [Evolution] as JSON, or the part of it that a step asks
// for.
type EvolveTask struct {
	Note       Note
	Neighbours []Neighbour // the most similar first; may be empty
	Step       EvolveStep
}

// EvolveStep says which part of an evolution is asked for.
type EvolveStep string

// The steps.
const (
	WholeEvolution EvolveStep = ""
	ActionsStep    EvolveStep = "actions"
	LinksStep      EvolveStep = "links"      // and tags of the note
	NeighboursStep EvolveStep = "neighbours" // their contexts and tags
)

// Kind implements [Task].
func (EvolveTask) Kind() string { return "evolve" }

// A Neighbour is a note that is like a new one.
type Neighbour struct {
	Note

	Index int  // of the note, in the order in which notes were made
	Close bool // it is similar enough to be linked without a model's judgement
}

// An Evolution is the reply to an [EvolveTask]. The fields have the names that
// A-Mem's released prompts ask for.
type Evolution struct {
	Evolves bool `json:"should_evolve"`
	// Actions are any of "strengthen", which sets links and tags of the note, and
	// "update_neighbor", which sets contexts and tags of the neighbours.
	Actions       []string   `json:"actions"`
	Links         []int      `json:"suggested_connections"` // indexes of notes
	Tags          []string   `json:"tags_to_update"`
	Contexts      []string   `json:"new_context_neighborhood"` // one a neighbour, in their order
	NeighbourTags [][]string `json:"new_tags_neighborhood"`    // likewise
}

// Of returns the part of the evolution that a step asks for.
func (e Evolution) Of(s EvolveStep) any {
	switch s {
	case ActionsStep:
		return map[string]any{"actions": e.Actions}
	case LinksStep:
		return map[string]any{"suggested_connections": e.Links, "tags_to_update": e.Tags}
	case NeighboursStep:
		return map[string]any{"new_context_neighborhood": e.Contexts, "new_tags_neighborhood": e.NeighbourTags}
	default:
		return e
	}
}

// A KeywordsTask asks for the words by which to look for what answers a question.
// The reply is [Keywords] as JSON.
type KeywordsTask struct{ Question string }

// Kind implements [Task].
func (KeywordsTask) Kind() string { return "keywords" }

// Keywords is the reply to a [KeywordsTask].
type Keywords struct {
	Keywords string `json:"keywords"` // separated by commas
}
