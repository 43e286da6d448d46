package lightmem

import (
	"regexp"
)

// numbered is a message of the prompt.
var numbered = regexp.MustCompile(`(?m)^(\d+)\. \[`)
