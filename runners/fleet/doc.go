// Package fleet has the units of one run asked by workers on many machines.
//
// A [Coordinator] owns the run: the queue of units, the provider accounts, the
// budget, the recordings and the run folder, which no one else writes. [Work] is a
// worker: it takes units from the queue, asks them with its own data and its own
// keys, and delivers lines. Queue and messages are those of NATS JetStream, which
// the coordinator brings along ([Listen]) or finds in a cluster.
//
// # What makes it exact
//
// A unit is a sample of a cell. The queue gives it to one worker at a time, and to
// the next one when the first shows no sign of life. What it delivers is taken once,
// by the key of each line, so that a unit may be asked twice and counts once. When
// all units are finished, the coordinator sorts and seals the folder as a run of one
// machine does. The queue lives in memory: a coordinator that starts again fills it
// from the folder.
//
// # Messages
//
// A worker sends all its questions as requests on one subject, each with its session
// and a number, and sends one again until it hears the answer. The coordinator does
// each number once. A question that waits, for the limit of an account or for the
// budget, is answered with "wait", and asked again.
package fleet
