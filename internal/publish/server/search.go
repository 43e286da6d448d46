package server

import (
	"net/http"
	"regexp"
	"strings"
)

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
	book, _, err := s.book(r)
	var found []int
	if err == nil {
		found, err = book.Search(words)
	}
	if err != nil {
		failWith(w, err)
		return
	}
	sendValue(w, map[string][]int{"requests": found})
}
