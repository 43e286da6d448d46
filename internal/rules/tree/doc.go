// Package tree answers the tasks of structured memories by rules of
// English and of the schema at hand, without a language model: it finds out
// which version a request is about, writes the query that finds its nodes,
// and answers or edits from the nodes that were found.
//
// A request is scanned into words and parted into clauses (operation.go), whose forms
// stand in forms.txt. A [reading] gives each word one role in the words of a schema.
// query.go prints it as a path, pick.go compares it with the nodes that came back,
// and handle.go answers from them. edit.go, create.go and update.go find edits, or
// refuse where it is not clear what is meant.
//
// The word lists of the package are general English and stand in words.txt and
// senses.txt. Names of types, fields and values come from the schema and from
// the nodes, never from here.
package tree
