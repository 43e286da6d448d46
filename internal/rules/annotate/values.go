package annotate

import (
	"strconv"
	"strings"
	"unicode"
)

// isValue reports whether entities of a type are values: they are told apart by
// what they say.
func isValue(t string) bool {
	switch t {
	case "DATE", "TIME", "MONEY", "PERCENT", "CARDINAL", "ORDINAL", "QUANTITY", "CODE":
		return true
	}
	return false
}

// isQuality reports whether entities of a type are what things are like, not
// things: nationalities, and common words that a request names without a type.
func isQuality(t string) bool { return t == "NORP" || t == "MISC" }

// valueAt returns how many tokens from i on are a value, and its type; 0 for
// none.
func (s *sentence) valueAt(i int) (int, string) {
	if n := s.timeAt(i); n > 0 {
		return n, "TIME"
	}
	if n := s.moneyAt(i); n > 0 {
		return n, "MONEY"
	}
	w := s.low[i]
	if _, ok := s.numberAt(i); ok {
		switch s.word(i + 1) {
		case "%", "percent":
			return 2, "PERCENT"
		case "minute", "minutes", "hour", "hours", "min", "mins", "hrs":
			return 2, "TIME"
		case "night", "nights", "day", "days", "week", "weeks", "month", "months", "year", "years":
			if s.word(i+2) == "old" {
				return 3, "DATE"
			}
		case "mile", "miles", "km", "kilometers", "kilometres", "meters", "metres", "feet", "kg", "pounds-weight":
			return 2, "QUANTITY"
		}
	}
	switch {
	case words().days[w]:
		return 1, "DATE"
	case s.codeAt(i) > 0:
		return s.codeAt(i), "CODE"
	case ordinal(w):
		return 1, "ORDINAL"
	case w == "first" && s.pos(i) == "JJ", w == "third" && s.pos(i) == "JJ", w == "second" && s.pos(i) == "JJ":
		return 1, "ORDINAL"
	}
	if _, ok := s.numberAt(i); ok && (s.Tokens[i].POS == "CD" && !s.pronounOne(i)) {
		return 1, "CARDINAL"
	}
	return 0, ""
}

// pronounOne reports whether "one" stands for a thing: "that one", "the cheap
// one".
func (s *sentence) pronounOne(i int) bool {
	if s.low[i] != "one" {
		return false
	}
	p, next := s.pos(i-1), s.pos(i+1)
	return p == "DT" || strings.HasPrefix(p, "JJ") || p == "WDT" || verb(p) && !noun(next) && next != "CD" || verb(next) || next == "MD" || s.word(i+1) == "of"
}

// numberAt reads a number in digits or letters.
func (s *sentence) numberAt(i int) (string, bool) {
	w := s.low[i]
	if n, ok := words().numbers[w]; ok {
		return strconv.Itoa(n), true
	}
	if w[0] < '0' || w[0] > '9' {
		if tens, ones, ok := strings.Cut(w, "-"); ok {
			a, b := words().numbers[tens], words().numbers[ones]
			if a >= 20 && b > 0 && b < 10 {
				return strconv.Itoa(a + b), true
			}
		}
		return "", false
	}
	for k := range len(w) {
		if c := w[k]; (c < '0' || c > '9') && c != ',' && c != '.' {
			return "", false
		}
	}
	return strings.ReplaceAll(w, ",", ""), true
}

func ordinal(w string) bool {
	if len(w) < 3 || w[0] < '0' || w[0] > '9' {
		return false
	}
	switch w[len(w)-2:] {
	case "st", "nd", "rd", "th":
		_, err := strconv.Atoi(w[:len(w)-2])
		return err == nil
	}
	return false
}

// moneyAt returns how many tokens from i on are an amount of money.
func (s *sentence) moneyAt(i int) int {
	switch s.low[i] {
	case "$", "£", "€":
		if i+1 < len(s.low) {
			if _, ok := s.numberAt(i + 1); ok {
				return 2
			}
		}
		return 0
	}
	if _, ok := s.numberAt(i); !ok {
		return 0
	}
	if currencies[s.word(i+1)] != "" {
		return 2
	}
	return 0
}

// codeAt returns how many tokens from i on are a code: a reference number, the
// number of a train, a postcode, a telephone number.
func (s *sentence) codeAt(i int) int {
	if i >= len(s.low) {
		return 0
	}
	w := s.low[i]
	if len(w) > 24 {
		return 0
	}
	digits, alpha, upper := 0, 0, true
	for _, r := range s.Tokens[i].Text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case r >= 'A' && r <= 'Z':
			alpha++
		case r >= 'a' && r <= 'z':
			alpha++
			upper = false
		case r != '-':
			return 0
		}
	}
	switch {
	case digits >= 7 && alpha == 0: // a telephone number
		return 1
	case digits >= 2 && alpha >= 2 && digits+alpha >= 5 && !ordinal(w) && !strings.HasSuffix(w, "am") && !strings.HasSuffix(w, "pm"):
		return 1
	case digits > 0 && digits <= 2 && alpha > 0 && alpha <= 2 && w[0] > '9': // a postcode in two
		if n := s.word(i + 1); len(n) == 3 && n[0] >= '0' && n[0] <= '9' && n[1] > '9' && n[2] > '9' {
			return 2
		}
	case digits == 0 && alpha >= 6 && upper, digits > 0 && alpha > 0 && digits+alpha >= 6 && !ordinal(w) && !strings.Contains(w, "-"):
		for k := i - 1; k >= 0 && k >= i-6; k-- {
			switch s.low[k] {
			case "reference", "ref", "number", "code", "confirmation", "id":
				return 1
			}
		}
	}
	return 0
}
