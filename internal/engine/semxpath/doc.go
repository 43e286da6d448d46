// Package semxpath is the query language of the Semantic XPath paper: a path
// over the nodes of a tree, with positions as in XPath and with semantic
// conditions that weigh nodes instead of filtering them.
//
// [Parse] reads a query, [Query.Run] evaluates it over a tree, [Check] compares
// it with a schema. What scores texts against conditions is a [Scorer], and what
// writes a node as text a [TextOf].
//
// # Grammar
//
//	query     = path | "(" path ")" [ "[" position "]" ]
//	path      = [ axis ] step { axis step }            a missing first axis is /
//	axis      = "/" | "//"                             children, all below
//	step      = ( NAME | "*" ) { "[" position "]" | "[" condition "]" | "[" sibling "]" }
//	position  = i | -i | i ":" j | i ":" | ":" j       from 1, or from -1; ends included
//	sibling   = "@" ( "+" | "-" ) k                    behind a condition
//	condition = both { "or" both }                     max
//	both      = product { "and" product }              min
//	product   = unary { "*" unary }
//	unary     = "1" "-" unary | primary
//	primary   = match | "[" condition "]" | "(" condition ")"
//	          | "(" condition "+" condition { "+" condition } ")" "/" n    of n conditions
//	          | function "(" condition { "," condition } ")"
//	          | function "(" [ axis ] step ")"         aggregation over evidence
//	function  = "avg" | "min" | "max" | "gmean"
//	          | "not"                                  of one condition: 1-
//	match     = NAME "~=" STRING | "@" NAME "=" STRING
//
// Each part in brackets stands behind a step at most once, in any order: the
// position is applied first. The step of an aggregation has a condition and no
// sibling. A NAME is an XML name. Of the names of attributes node stands for
// the node as a whole.
//
// These spellings are read too: =~ and ≈ for ~=; @NAME ~= for NAME ~=; NAME = for
// @NAME =, where the name is not node; and, or, not in capitals; · ⋅ ×
// and prod(P, P) for *; agg_avg and so on for avg; functions in capitals; . for
// *; − for -; strings in single or typographic quotes. In a string a backslash
// before a quote or a backslash takes its meaning away, and before anything
// else stands for itself.
//
// The canonical spelling ([Query.String]) has an axis before every step, the
// position before the condition, ~= with blanks, double quotes, min and max for and
// and or, avg(P, P) for a mean, parentheses around what 1- and * apply to, [i] for [i:i], [i:] for
// [i:-1] and [1:j] for [:j]. It parses back to an equal query.
//
// 1-P * Q is (1-P) * Q: the paper has 1-P as a unary operator.
//
// # Profiles
//
// [Paper] is appendix A of the paper. [Released] is the engine that its authors
// released (commit 116a704), with this decided differently: its defects are
// left out. They are
//
//   - a node that several nodes lead to is selected once for each;
//   - in //*[P] a node below another of the same step has its weight multiplied
//     with that one's;
//   - a score is remembered by node and string, whatever the attribute;
//   - [-2:-1] is everything but the last node;
//   - a step that names the root's type stays where it is, wherever it stands;
//   - //NAME[i] counts the nodes below each node that the step starts at, at any
//     depth, while /NAME[i] counts below each parent: here both count below each
//     parent, as in XPath.
//
// Where they differ:
//
//	                    Paper                        Released
//	position counts in  all nodes the step reaches   those below the same parent
//	first step *        below the root               the root too, as in XPath
//	attr ~= "x"         meaning of the attribute     equal but for case
//	  node without it   0                            the whole node's score
//	step's relevance    as it is                     kept in [1e-9, 1-1e-9]
//	weight from above   the best of the nodes that   the nearest node at or above
//	                    lead to the node             it that has been weighed
//
// # Decisions
//
// Both profiles, where the paper leaves it open:
//
//   - A query starts at the root. A first step that names the root's type starts
//     above it: /Plan is the root, //Plan the root and all Plans below it. The
//     root's name may be left out: /Day is a child of the root.
//   - Positions count in document order. [i:j] selects what there is between its
//     ends; [i] beyond the last node selects nothing.
//   - A node is selected once, whatever leads to it. Under [Paper] it takes the
//     highest of the weights.
//   - An aggregation over no evidence is 0 for every operator, min included.
//   - gmean is 0 if one of its parts is. No operator gives NaN or leaves [0, 1].
//   - An attribute that a node has but that is empty counts as absent to the
//     paper's ~=. Of a list all values together are the text; the released
//     engine's comparison is also met by one of them.
//   - content is the whole node, as in the authors' code, unless the node has an
//     attribute of that name.
//   - Every node has the attribute id: its field of that name, else its ID.
//   - @attr = "v" is 1 or 0 and case counts, in both profiles. Names of
//     attributes are compared without case, those of types with it.
//   - Matches are ranked by weight; those of equal weight are in document order.
//     Without conditions all matches are in document order, and Threshold and K
//     do not apply.
//   - (path)[i] selects from the ranking after the threshold and before K: (..)[1]
//     is the best match, and without conditions the first.
//   - [@+k] replaces each node by the k-th sibling after it, of any type, which
//     takes over its weight. A node without such a sibling leads nowhere.
//   - A score that is NaN or outside [0, 1] is an error that names the pair.
//
// # Evaluation
//
// No weight changes which nodes a step selects. So the structure of all steps and of
// all evidence is found first. Then one call of the Scorer scores every distinct pair
// of text and condition, and weights are computed.
package semxpath
