package annotate

import (
	"strings"

	"recallbench/internal/door/annotate"
)

// normal returns what a value says, equal for equal values.
func (s *sentence) normal(e annotate.Entity) string {
	low := s.low[e.Start:e.End]
	switch e.Type {
	case "TIME":
		if v := normalTime(low); v != "" {
			return v
		}
	case "DATE":
		return normalDate(low)
	case "CODE":
		return strings.Join(low, "")
	case "CARDINAL":
		if n, ok := s.numberAt(e.Start); ok {
			return n
		}
	case "MONEY":
		return normalMoney(s, e)
	case "PERCENT":
		n, _ := s.numberAt(e.Start)
		return n + "%"
	}
	return strings.Join(low, " ")
}

// normalDate returns a date in one spelling: "7 may", "friday".
func normalDate(low []string) string {
	var day, month, rest string
	for _, w := range low {
		switch {
		case w == "the" || w == "of" || w == "," || w == "on":
		case words().months[w]:
			month = w
			if len(w) > 3 {
				month = w[:3]
			}
		case ordinal(w):
			day = w[:len(w)-2]
		case len(w) <= 2 && w[0] >= '0' && w[0] <= '9':
			day = w
		case words().days[w]:
			rest += " " + strings.TrimSuffix(w, "s")
		default:
			rest += " " + w
		}
	}
	return strings.Join(strings.Fields(day+" "+month+rest), " ")
}

// currencies are the signs of what money is said in.
var currencies = map[string]string{
	"pounds": "£", "pound": "£", "gbp": "£", "quid": "£", "dollars": "$", "dollar": "$", "bucks": "$", "usd": "$", "euros": "€", "euro": "€", "eur": "€", "cents": "c", "pence": "p",
}

func normalMoney(s *sentence, e annotate.Entity) string {
	sign, at := s.low[e.Start], e.Start+1
	if c := currencies[s.low[e.End-1]]; c != "" {
		sign, at = c, e.Start
	}
	n, _ := s.numberAt(at)
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	return sign + n
}
