//go:build !unix

package main

// adapterMain does nothing where a process cannot be made to stand still: no drill
// runs there.
func adapterMain(string) {}
