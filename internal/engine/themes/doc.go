// Package themes arranges the semantics of a memory, given by their vectors in order
// of arrival, in themes, as xMemory does ("Beyond RAG for Agent Memory", section 3.2
// and appendix B). From its graphs it chooses representatives of a query's
// candidates (section 3.3, equation 4). It calls no model and reads no file: the
// same vectors give the same hierarchy on every machine.
//
// # The objective
//
// [Objective] is f of equations 1 to 3 with the released code's ε and edge cases. Its
// golden values settle in what precision the code works: vectors are scaled to length
// 1 in float32, by their norm in float32. Centroids are float64, and ε is added to
// their norms; the nearest similarities of centroids are rounded to float32. Where
// norms and sums are exact in float64 and rounded once, here and there, the values
// are the same.
//
// # The released profile
//
// The released code builds the themes of a conversation once, at its end:
//
//	(a) Each semantic, in the order of arrival, is compared with all centroids.
//	    It joins the theme of the nearest at 0.62, or at 0.52 if that theme is not
//	    full; else it becomes a theme. The first of equally near themes is taken.
//	    A full theme in the band between does not send it to the second best.
//	(b) A theme above the cap is divided at once into the components that edges
//	    of 0.66 leave, and these into pieces of the cap. The first piece keeps
//	    the id. The objective is not asked.
//	(c) When all have come, each full theme whose semantics have a mean cosine
//	    below 0.72 is left whole or divided into its components: what scores
//	    higher beside its ten nearest themes of before. Either way the result
//	    has new ids.
//	(d) The pair of themes with centroids at 0.78 that gains most is joined, if
//	    it gains, twice at most. The older keeps its id.
//	(e) Each theme of one semantic, in the order of ids, joins the theme at 0.50
//	    or above with which the objective of the two and their nearest themes
//	    rises most; sweeps follow until one joins none. A theme that has grown
//	    since its sweep began joins others from 0.99 on.
//
// The code's second candidate in (c), blocks along the first principal
// component, is the whole theme whenever the theme is within the cap, and after
// (b) it always is: there is nothing to compute. Divisions and joins take the
// mean of all members anew, attaching keeps a running mean.
//
// What the description of the code leaves open, and the evidence for each decision:
//
//   - The search for components takes the last found neighbour first and marks a
//     member when it takes it. Of the usual four orders only this one gives the
//     golden partition for cap 8; the order decides where pieces are cut.
//   - The ten nearest themes are ten others: with the theme itself among the ten
//     the golden partition for cap 8 comes out otherwise.
//   - That a sweep of (e) continues after a join, and does not begin anew, and that
//     of equal similarities the older theme comes first, agree with the golden
//     partitions; they were not shown to be the only readings that do.
//   - With a cap below the size up to which a theme is not divided into
//     components, a theme above the cap is cut into pieces of the cap: the code
//     would leave it above.
//
// Without Split, (b) and (c) are left out, and without Merge (d) and (e). What
// is divided by nothing may outgrow the cap.
//
// # The paper's profile
//
// In the paper themes are maintained as semantics arrive, and the objective of
// the whole partition decides. What it leaves open is decided as follows:
//
//   - "Most similar, otherwise new" needs a threshold: AttachAt, and no band.
//     A full theme takes the semantic and is then overcrowded.
//   - "Overcrowded" is above the cap, at which a theme is divided at once; to
//     leave it whole is not a candidate.
//   - "Clustering its semantic nodes" is average linkage: all cuts of its tree
//     into two or more clusters within the cap are candidates. It has no seed and
//     no number of clusters to choose. The cluster of the oldest member keeps the
//     id.
//   - "Tiny" is a theme of one semantic, as in the code. It is looked at when the
//     batch that it came with is complete, and once more at the end; the "small
//     set of nearest-neighbour themes" are the ten nearest within the cap, and to
//     join none is a candidate. The other theme keeps its id.
//   - N, K, m and σ are those of all themes, before and after each change.
//
// Both profiles give their themes and semantics graphs of the nearest
// ([Hierarchy]).
//
// # Exactness
//
// All comparisons are of float64 sums in a fixed order, so that every processor
// decides alike. Products of float32 rows, whose error is bounded, only sort out what
// cannot be among the nearest. Each theme keeps a list of its nearest ones, which is
// brought up to date when others change. Tests compare with references that do neither.
package themes
