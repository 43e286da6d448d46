package pytext

import "unicode/utf8"

// clitics splits 's, 'm, 'd and a lone quote from the end of a word.
func clitics(e *edit) {
	for i, c := range e.src {
		if c != '\'' || !e.inside(i) {
			continue
		}
		if e.at(i+1, " ") || e.at(i+2, " ") && is(e.src[i+1], "smdSMD") {
			e.replace(i, i, " ")
		}
	}
}

// longClitics splits 'll, 're, 've and n't from the end of a word, in lower
// or upper case.
func longClitics(e *edit) {
	for i, c := range e.src {
		if c != '\'' {
			continue
		}
		switch {
		case e.inside(i) && (e.at(i, "'ll ") || e.at(i, "'re ") || e.at(i, "'ve ") ||
			e.at(i, "'LL ") || e.at(i, "'RE ") || e.at(i, "'VE ")):
			e.replace(i, i, " ")
		case i > 0 && e.inside(i-1) && (e.at(i-1, "n't ") || e.at(i-1, "N'T ")):
			e.replace(i-1, i-1, " ")
		}
	}
}

// inside reports whether a character other than a quote and a space stands
// before src[i].
func (e *edit) inside(i int) bool {
	return i > 0 && e.src[i-1] != '\'' && e.src[i-1] != ' '
}

// contractedWords split in two wherever they stand alone.
var contractedWords = []struct {
	first, second string
	space         bool // white space must follow
}{
	{"can", "not", false},
	{"d", "'ye", false},
	{"gim", "me", false},
	{"gon", "na", false},
	{"got", "ta", false},
	{"lem", "me", false},
	{"more", "'n", false},
	{"wan", "na", true},
}

// contractions splits the contracted words.
func contractions(e *edit) {
	inWord := false
	for i := 0; i < len(e.src); {
		if !inWord {
			if n, m := e.contraction(i); m > 0 {
				e.replace(i, i, " ")
				e.replace(i+n, i+n, " ")
				i += n + m
				e.replace(i, i, " ")
				inWord = true
				continue
			}
		}
		r, n := e.rune(i)
		i, inWord = i+n, IsWord(r)
	}
}

// contraction returns the lengths of the two parts of the contracted word at
// src[i], or zeros.
func (e *edit) contraction(i int) (n, m int) {
	if !is(e.src[i]|0x20, "cdglmw") { // a letter without case
		return 0, 0
	}
	for _, c := range contractedWords {
		n := e.fold(i, c.first)
		if n == 0 {
			continue
		}
		m := e.fold(i+n, c.second)
		if m == 0 || !e.boundary(i+n+m) {
			continue
		}
		if next, size := e.rune(i + n + m); !c.space || size > 0 && IsSpace(next) {
			return n, m
		}
	}
	return 0, 0
}

// tis splits 'tis and 'twas after a space.
func tis(e *edit) {
	for i, c := range e.src {
		if c != ' ' {
			continue
		}
		n := e.fold(i+1, "'t")
		if n == 0 {
			continue
		}
		m := i + 1 + n
		end := m + max(e.fold(m, "is"), e.fold(m, "was"))
		if end > m && e.boundary(end) {
			e.replace(m, m, " ")
			e.replace(end, end, " ")
		}
	}
}

// fold returns the length of what stands at src[i] and equals s, which is in
// lower case, when case is ignored; 0 for none.
func (e *edit) fold(i int, s string) int {
	n := 0
	for _, want := range s {
		r, size := utf8.DecodeRune(e.src[i+n:])
		if size == 0 || fold(r) != want {
			return 0
		}
		n += size
	}
	return n
}

// fold maps a character to the ASCII letter that Python's re takes it for
// when it ignores case; three letters from outside ASCII are among them.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r == 'ſ':
		return 's'
	case r == 'ı' || r == 'İ':
		return 'i'
	}
	return r
}
