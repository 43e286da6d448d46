// Package gateway serves the model calls of memories that run outside this
// program: an OpenAI-compatible server on the local host, backed by the run's
// doors. So a foreign library's calls are recorded, replayed, limited and
// metered like those of any method.
//
// A [Server] has a key for each [Memory]. A [Phase] binds the memory's calls to
// the context of the current Build or Answer, and thereby to its meter: a
// library makes its client once, so the key cannot say what a call is for. A
// call outside any phase is stray: it is answered, and its usage goes to the
// next phase.
//
// A failed call that the library hides from its caller is not lost: [Phase.End]
// returns it.
//
// The server is also the proxy of adapters, and rejects other hosts. It only
// detects: a program that opens sockets itself bypasses it.
package gateway
