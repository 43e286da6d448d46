// Package adapter hosts memories that run outside of the program and speak
// recallbench-memory/1: as child processes over pipes, as services over HTTP,
// and as MCP servers whose tools a mapping names.
//
// A [Conn] carries calls. It never trusts the other side: lines are limited,
// replies are checked, calls have time limits, and whatever goes wrong is an
// error with a kind of package fault. A Conn that has ended cannot be used
// again; its owner starts another one.
package adapter
