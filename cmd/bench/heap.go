package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// How far the heap grows between collections: by gcPercent of what is in use
// where Go's default is 100, because a run of 20,000 requests takes a fifth less
// memory for a few percent of time; but always to gcFloor bytes, because most
// runs are small and would spend a sixth of their time collecting.
const (
	gcPercent = 65
	gcFloor   = 80 << 20
)

// tuneHeap sets how far the heap grows, now and after each collection.
func tuneHeap() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := 100 * gcFloor // nothing is known to be in use yet
	if n := live[0].Value.Uint64(); n > 0 {
		percent = int(100 * gcFloor / n)
	}
	debug.SetGCPercent(max(gcPercent, min(percent-100, 1000)))
	// An object that nothing refers to is cleaned up after the next collection.
	runtime.AddCleanup(new([16]byte), func(struct{}) { tuneHeap() }, struct{}{})
}
