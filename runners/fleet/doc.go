// Package fleet has the units of one run asked by workers on many machines.
//
// A [Coordinator] owns the run: the queue of units, the provider accounts, the
// budget, the recordings and the run folder, which no one else writes. A [Worker]
// leases units, asks them with its own data and its own keys, and delivers lines.
// When all units are finished, the run is sealed as one of a single machine is. The
// queue lives in memory: a coordinator that starts again fills it from the folder.
//
// # Protocol
//
// The coordinator is an HTTPS server, a worker its client. Each request is a POST of
// JSON to the path of what it asks (of recordings, gob), with the token of the run and
// the random name of the worker's session. A worker sends a request again until it
// hears the answer, so what comes twice changes nothing: a lease gives the unit again
// that the worker does not know to have, lines are taken by their keys, tries of a call
// have numbers, and the worker draws the number of a lease of
// budget. A request that has to wait is held for some seconds and then answered with
// the status 202, upon which it is asked again. 409 has the worker join again, because
// the coordinator started anew or had given it up; 410 says that the run is over.
//
// A unit goes to others when its worker shows no sign of life.
package fleet
