package record

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Newest returns the folder of the run in dir that began last. If a header cannot be
// read, the time in the folder's name counts, so that a damaged run is not skipped in
// favour of an older one. It is an error if there is none.
func Newest(dir string) (newest string, err error) {
	headers, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	var began time.Time
	for _, path := range headers { // sorted by name: of runs that began at the same time, the last counts
		var header struct{ Start time.Time }
		if data, fault := os.ReadFile(path); fault != nil || json.Unmarshal(data, &header) != nil {
			stamp, _, _ := strings.Cut(filepath.Base(filepath.Dir(path)), "-")
			header.Start, _ = time.Parse("20060102T150405Z", stamp)
		}
		if !header.Start.IsZero() && !header.Start.Before(began) {
			newest, began = filepath.Dir(path), header.Start
		}
	}
	if newest == "" && err == nil {
		err = fmt.Errorf("there is no latest run: %s has none; 'bench run' makes one there; name a run elsewhere by its folder", dir)
	}
	return newest, err
}
