// Package tree answers the tasks of structured memories by rules of
// English and of the schema at hand, without a language model: it finds out
// which version a request is about, writes the query that finds its nodes,
// and answers or edits from the nodes that were found.
//
// A request is read once, as a [reading]: which types of nodes it is after,
// in which containers, under which conditions, in which order, and what is to
// be said about them or done to them. The rules for queries print a reading
// as a query, which only has to catch what is meant; the rules for answers
// hold the same reading against the nodes that came back, where fields have
// values and containers have names.
//
// The word lists of the package are general English. Names of types, fields
// and values come from the schema and from the nodes, never from here.
package tree
