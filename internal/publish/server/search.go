package server

import (
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// texts are what a search reads: of each request in lower case.
type texts struct {
	mu  sync.Mutex
	tag string // of the runs that all is of
	all []string
}

// maxQuery is how many bytes of words a search takes.
const maxQuery = 1000

// wordOrPhrase is what a search is made of: a word, or a "phrase" between quotes.
var wordOrPhrase = regexp.MustCompile(`"([^"]+)"|(\S+)`)

// search answers with the numbers of the requests whose texts have all words.
func (s *Server) search(w http.ResponseWriter, r *http.Request) {
	var words []string
	for _, m := range wordOrPhrase.FindAllStringSubmatch(strings.ToLower(r.URL.Query().Get("q")), -1) {
		words = append(words, m[1]+m[2])
	}
	if len(words) == 0 || len(r.URL.Query().Get("q")) > maxQuery {
		fail(w, http.StatusBadRequest, "no words to search for, or more than %d bytes of them; want q=WORD+WORD", maxQuery)
		return
	}
	dirs, err := s.folders(r)
	if err != nil {
		failWith(w, err)
		return
	}
	all, err := s.textsOf(tagOf(dirs), dirs)
	if err != nil {
		failWith(w, err)
		return
	}
	found := []int{}
	for n, text := range all {
		if hasAll(text, words) {
			found = append(found, n)
		}
	}
	sendValue(w, map[string][]int{"requests": found})
}

// textsOf reads the texts of runs, or returns those that were read last.
func (s *Server) textsOf(tag string, dirs []string) ([]string, error) {
	s.texts.mu.Lock()
	defer s.texts.mu.Unlock()
	if s.texts.tag == tag {
		return s.texts.all, nil
	}
	s.texts.tag, s.texts.all = "", nil
	for text, err := range s.Texts(dirs) {
		if err != nil {
			return nil, err
		}
		s.texts.all = append(s.texts.all, strings.ToLower(text))
	}
	s.texts.tag = tag
	return s.texts.all, nil
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}
