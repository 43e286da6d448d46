// Package engine is the wing of what methods are built of: structured memories (tree, expect)
// and their queries (semxpath, relevance), the hierarchy of xMemory
// (themes), ranked retrieval (index), annotation of English (annotator) and checkpoints of a build (checkpoint).
package engine
