package llm

import "slices"

// roles are the purposes of calls, in the order in which a run reaches them.
var roles = [...]string{
	"boundary", "episode", "predict", "statements", "summary", // building a memory of a conversation
	"note", "evolve", "keywords", // notes on messages: of each, with those like it, and of a question
	"themes", "profile", // and of its pages, as MemoryOS does
	"facts", "revise", // facts in messages, and their later revisions
	"annotate",             // discourse relations, where a chat model is asked for them
	"translate", "resolve", // finding nodes of a tree
	"probe",            // how sure the model is of an answer, by log-probabilities
	"external",         // a memory outside asks for itself
	"external-answer",  // and for an answer
	"reader",           // the answer
	"handle", "memory", // a request about a tree
	"judge", // about an answer
}

// Roles lists the roles of this program's requests, see [Request.Role]. A model
// entry can send each to a model of its own. A test compares the list with the
// requests in the code.
func Roles() []string { return slices.Clone(roles[:]) }
