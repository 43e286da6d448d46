package linkgrammar

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A linkage is what the parser says of a sentence: words, the walls among them,
// as it writes them, and links between them.
type linkage struct {
	words []string
	links []link
}

// A link joins two words, the left one first.
type link struct {
	left, right int
	kind        string // in capitals, such as S or MV
	sub         string // what follows: s*s, p
}

// endOfLinkage is the last line of a linkage.
const endOfLinkage = "[0]"

// errNone is that the parser found no linkage, or gave up for lack of time.
var errNone = errors.New("no linkage")

// parseLinkage reads what the parser wrote of a sentence. Lines before it, such
// as the parser's greeting, are passed over. Nothing at all is errNone.
func parseLinkage(reply string) (linkage, error) {
	at := strings.Index("\n"+reply, "\n[(")
	if at < 0 {
		return linkage{}, errNone
	}
	text := strings.ReplaceAll(reply[at+1:], "\n", "")
	var l linkage
	// A word has no white space; it may be a bracket, or hold one.
	for strings.HasPrefix(text, "(") {
		end := -1
		for i := 2; i < len(text)-1; i++ {
			if text[i] == ')' && (text[i+1] == '(' || text[i+1] == ']') {
				end = i
				break
			}
		}
		if end < 0 {
			return linkage{}, fmt.Errorf("a word without an end: %.40q", text)
		}
		l.words = append(l.words, text[1:end])
		text = text[end+1:]
	}
	text, ok := strings.CutPrefix(text, "][")
	if !ok {
		return linkage{}, fmt.Errorf("no links behind the words: %.40q", text)
	}
	for strings.HasPrefix(text, "[") {
		body, rest, ok := strings.Cut(text[1:], ")]")
		if !ok {
			return linkage{}, fmt.Errorf("a link without an end: %.40q", text)
		}
		k, err := parseLink(body, len(l.words))
		if err != nil {
			return linkage{}, err
		}
		l.links = append(l.links, k)
		text = rest
	}
	if text != "]"+endOfLinkage {
		return linkage{}, fmt.Errorf("something else behind the links: %.40q", text)
	}
	return l, nil
}

// parseLink reads "2 7 0 (Ss*s".
func parseLink(body string, words int) (link, error) {
	fields := strings.Fields(body)
	if len(fields) != 4 || !strings.HasPrefix(fields[3], "(") {
		return link{}, fmt.Errorf("a link of another form: %.40q", body)
	}
	left, err := strconv.Atoi(fields[0])
	right, err2 := strconv.Atoi(fields[1])
	if err != nil || err2 != nil || left < 0 || left >= right || right >= words {
		return link{}, fmt.Errorf("a link between words that are not there: %.40q", body)
	}
	label := fields[3][1:]
	kind := label
	if i := strings.IndexFunc(label, func(r rune) bool { return r != '_' && (r < 'A' || r > 'Z') }); i >= 0 {
		kind = label[:i]
	}
	return link{left, right, kind, label[len(kind):]}, nil
}
