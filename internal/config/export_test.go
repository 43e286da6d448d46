package config

import (
	"sync"
	"testing"
)

// A File is what a run file may hold.
type File = file

// WithSchema lets a test describe options by another schema than the one that
// was there when the test was built.
func WithSchema(t *testing.T, data []byte) {
	t.Helper()
	old := schema
	use := func(data []byte) { schema, definitions = data, sync.OnceValues(readDefinitions) }
	use(data)
	t.Cleanup(func() { use(old) })
}
