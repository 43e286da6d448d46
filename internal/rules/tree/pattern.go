package tree

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that compiles when it is first used. There
// are hundreds here, and compiling them all took most of the program's start.
type pattern struct {
	text    string
	compile func() *regexp.Regexp
}

// patterns lists all patterns, for the test that compiles them.
var patterns []*pattern

// newPattern makes a pattern of the package. One that depends on input is
// compiled where it is used, without it.
func newPattern(text string) *pattern {
	p := &pattern{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	patterns = append(patterns, p)
	return p
}

func (p *pattern) String() string { return p.text }

func (p *pattern) MatchString(s string) bool {
	return p.compile().MatchString(s)
}

func (p *pattern) FindString(s string) string {
	return p.compile().FindString(s)
}

func (p *pattern) FindStringIndex(s string) []int {
	return p.compile().FindStringIndex(s)
}

func (p *pattern) FindStringSubmatch(s string) []string {
	return p.compile().FindStringSubmatch(s)
}

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	return p.compile().FindStringSubmatchIndex(s)
}

func (p *pattern) FindAllString(s string, n int) []string {
	return p.compile().FindAllString(s, n)
}

func (p *pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compile().FindAllStringIndex(s, n)
}

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	return p.compile().FindAllStringSubmatch(s, n)
}

func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compile().FindAllStringSubmatchIndex(s, n)
}

func (p *pattern) ReplaceAllString(s, with string) string {
	return p.compile().ReplaceAllString(s, with)
}

func (p *pattern) ReplaceAllLiteralString(s, with string) string {
	return p.compile().ReplaceAllLiteralString(s, with)
}

func (p *pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	return p.compile().ReplaceAllStringFunc(s, with)
}

func (p *pattern) Split(s string, n int) []string {
	return p.compile().Split(s, n)
}

func (p *pattern) SubexpIndex(name string) int {
	return p.compile().SubexpIndex(name)
}
