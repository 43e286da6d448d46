//go:build !unix

package themes

import "time"

// worked is not known on this system.
func worked() time.Duration { return 0 }
