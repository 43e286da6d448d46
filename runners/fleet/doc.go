// Package fleet spreads the units of one run over workers on many machines.
//
// A [Coordinator] owns the run: the queue of units, the provider accounts, the
// budget, the recordings and the run folder, which no one else writes. A [Worker]
// leases units, processes them with its own data and keys, and delivers lines. When all
// units are finished, the run is sealed like one of a single machine. The queue lives in
// memory: a coordinator that is restarted fills it from the folder.
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
// If a worker is silent for too long, others get its units.
package fleet
