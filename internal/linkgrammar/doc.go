// Package linkgrammar parses with link-parser, a program of the Link Grammar
// project, as a pool of processes.
package linkgrammar
