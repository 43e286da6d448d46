// Package semxpath is the query language of the Semantic XPath paper: a path
// over the nodes of a tree, with positions as in XPath and with semantic
// conditions that weigh nodes instead of filtering them.
package semxpath
