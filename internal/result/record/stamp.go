package record

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Stamp names the state of the files of a folder that fit some patterns: it is another
// one where any of them has another size or time.
func Stamp(dir string, patterns ...string) string {
	files := os.DirFS(dir)
	var b strings.Builder
	for _, pattern := range patterns {
		found, _ := fs.Glob(files, pattern) // only a malformed pattern fails
		for _, name := range found {
			if info, err := fs.Stat(files, name); err == nil {
				fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
