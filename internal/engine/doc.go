// Package engine is the parent of the packages from which methods are built: structured
// memories (tree, expect) and their queries (semxpath, relevance), the hierarchy of
// xMemory (themes), ranked retrieval (index), annotation of English (annotator) and
// checkpoints of a build (checkpoint).
package engine
