package offline

import "strings"

// occupations are what people work as.
var occupations = set(`actor actress accountant agent analyst anchor architect artist assistant astronaut author babysitter baker
banker barber bartender boss botanist builder butcher buyer cardiologist carpenter cashier chairman chef chemist clerk coach
colonel comedian commander composer conductor consultant contractor cook cop counselor counsellor critic curator dancer dean dentist
designer detective director doctor driver economist editor electrician engineer executive farmer firefighter fireman founder gardener
geologist governor guard gynecologist hairdresser headmaster historian hostess host hygienist inspector instructor intern inventor
janitor journalist judge landlord lawyer librarian lieutenant lifeguard linguist maid mailman major manager masseuse mathematician mayor mechanic
minister model musician nanny nurse nutritionist obstetrician officer optometrist orthodontist painter paleontologist paramedic
pediatrician periodontist pharmacist philosopher photographer physician physicist pianist pilot plumber poet policeman policewoman
postman president priest principal producer professor programmer psychiatrist psychologist publisher rabbi realtor receptionist
reporter representative researcher sailor salesman salesperson saleswoman scientist sculptor secretary senator sergeant singer
socialite soldier specialist star stylist superintendent supervisor surgeon tailor teacher technician temp therapist trader trainer translator
tutor veterinarian vet waiter waitress writer zoologist mr mrs ms dr captain king queen prince princess student`)

// animals are what people keep.
var animals = union(members[hash(stem("pet"))], set("chick monkey puppy kitten bunny duckling lizard pig mouse rat tarantula lamb"))

// numerals are the words of ages.
var numerals = set(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety twentieth thirtieth fortieth fiftieth sixtieth`)

// What speaks for a value that a line tells of somebody.
const (
	worthHolder  = 2.0 // said by the one asked about
	worthHeld    = 1.5 // in a sentence that names that one
	worthHearer  = 1.0 // said to whoever listens by somebody who talks with that one
	worthPattern = 1.5
	leastThing   = 1.0
)

// things weighs what one has or is, or where one lives.
func (k *kinship) things(m *matcher) {
	for _, c := range m.out {
		s := c.sentence()
		if s.image {
			continue
		}
		x := c.early()
		_, mentioned := s.phrase(k.name)
		d := apart(c.line.speaker, k.speaker)
		switch {
		case k.says(c.line):
			x += worthHolder
		case mentioned:
			x += worthHeld
		case k.speaker != "" && (d >= 0 && d <= 2 || k.beside(c.line)) && (s.second() || k.tie == tieTitle):
			x += worthHearer
		default:
			continue
		}
		for i := range s.words {
			n, fit := k.value(s.words, i)
			if n.to == 0 || x+fit < leastThing {
				continue
			}
			k.add(n.text(c.line, s), x+fit, c)
		}
	}
}

// value finds a value of the type asked for at word i, and how sure that is.
func (k *kinship) value(words []word, i int) (called, float64) {
	low, before := words[i].low, at(words, i-1)
	one := called{from: i, to: i + 1}
	switch k.tie {
	case tieTitle:
		if !occupations[low] {
			return called{}, 0
		}
		switch {
		case before == "my", before == "your", before == "his", before == "her":
			return one, -1
		case before == "a" || before == "an" || before == "the" || before == "as":
			return one, worthPattern * indicator(behind(words, i, 5, set("'m am 're are is 's was be being as became become")))
		}
		return one, 0
	case tiePet:
		if animals[low] {
			return one, worthPattern * indicator(before == "my" || before == "your" || before == "our")
		}
	case tieAge:
		if !numerals[strings.SplitN(low, "-", 2)[0]] && !digits(low) {
			return called{}, 0
		}
		next := at(words, i+1)
		switch {
		case next == "years" && at(words, i+2) == "old", next == "year" && at(words, i+2) == "old", next == "birthday":
			return one, worthPattern
		case (before == "'m" || before == "'re" || before == "turning" || before == "turn" || before == "turned" || before == "still") && next != "percent":
			return one, worthPattern / 2
		}
	case tiePlace:
		if i == 0 && len(words) == 1 && places[low] && words[0].upper {
			return one, 0
		}
		if !words[i].upper || i == 0 || words[i].class != content || greetings[low] || weekdays[low] || words[i-1].upper && i > 1 && !words[i-1].punct && words[i-1].class == content {
			return called{}, 0
		}
		to := i + 1
		for to < len(words) && words[to].upper && !words[to].punct && words[to].class == content {
			to++
		}
		one.to = to
		known := places[words[to-1].low]
		if located[before] || before == "the" && located[at(words, i-2)] {
			return one, worthPattern * (1 + indicator(known)) / 2
		}
		if known {
			return one, 0
		}
	case tieGroup:
		if !words[i].upper || i == 0 || words[i].class != content || greetings[low] || weekdays[low] || places[low] {
			return called{}, 0
		}
		if before == "the" && grouped[at(words, i-2)] || grouped[before] {
			to := i + 1
			for to < len(words) && (words[to].upper && !words[to].punct || words[to].low == "'s" && to+1 < len(words) && words[to+1].upper) {
				to++
			}
			one.to = to
			return one, worthPattern / 2
		}
	}
	return called{}, 0
}

var (
	located = set("in to from at near")
	grouped = set("at for with of in from joined join")
)

// digits reports whether a word is a number of at most three digits.
func digits(low string) bool {
	return len(low) <= 3 && strings.Trim(low, "0123456789") == "" && low != ""
}
