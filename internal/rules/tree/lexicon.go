package tree

import (
	"slices"
	"strconv"
	"strings"
)

// A sense is a kind of thing that trees often hold: nouns that people use for
// one another. The names before the bar are those by which a type is known to
// be of the sense; all nouns stand for it in a request. Nouns after a second
// bar hint at it, but say more than the type, and stay conditions.
const senses = `
poi point attraction sight venue landmark | sight attraction visit outing excursion sightseeing destination
activity event engagement appointment | activity event engagement outing
restaurant eatery cafe diner dining | restaurant eatery diner bistro table | eat eating food lunch dinner breakfast brunch supper dine dining meal snack cafe bite reservation
duty shift | duty shift chore job task
task todo chore job action | task todo chore job errand duty action assignment step
project | project undertaking initiative job
category area group section | category area heading group section list
day weekday | day
date | day date
week | week
month | month
meal | meal | breakfast lunch dinner supper brunch snack food eat cook
member person family user child | member person family relative | eater
option choice alternative variant | option choice alternative dish recipe suggestion possibility idea pick variant | cook eat food make
dish recipe | dish recipe | cook eat food meal
ingredient | ingredient
book title volume | book title volume novel read
shelf | shelf bookcase
genre | genre kind
author writer | author writer
plant crop | plant crop | flower vegetable herb tree shrub grow
bed plot border | bed plot border patch
garden | garden
course class subject | course class subject
module unit block | module unit block part
lesson lecture session talk class seminar | lesson lecture session talk class seminar
exercise assignment homework | exercise assignment homework
topic | topic theme
meeting | meeting
note | note
step stage phase | step stage phase
room | room
device appliance | device appliance gadget
product article | product article
order purchase | order purchase
expense cost bill | expense cost bill payment
song track | song track tune piece
album record | album record
film movie | film movie
episode | episode
season | season
team | team
player | player
match game fixture | match game fixture | play face meet opponent beat
employee staff worker | employee colleague worker
customer client | customer client
contact | contact
trip journey | trip journey
flight | flight
hotel accommodation lodging stay | hotel accommodation lodging stay | sleep
gift present | gift present
guest visitor | guest visitor
wine bottle | wine bottle
chapter | chapter
workout training | workout training session
animal pet | animal pet
`

type sense struct {
	of    map[string]bool // stems of names of types
	nouns map[string]bool // stems that stand for it
	hints map[string]bool // stems that hint at it
}

var senseList = readSenses()

func readSenses() []sense {
	var all []sense
	for line := range strings.Lines(senses) {
		part := strings.Split(line, "|")
		if len(part) < 2 {
			continue
		}
		s := sense{of: stems(part[0]), nouns: stems(part[1]), hints: map[string]bool{}}
		if len(part) > 2 {
			s.hints = stems(part[2])
		}
		all = append(all, s)
	}
	return all
}

// general are nouns for whatever a tree holds at its leaves.
var general = stems(`thing item entry activity stop event place stuff bit commitment obligation engagement spot stopover plan appointment`)

// doing are verbs and nouns that hint at a type and say nothing more.
var doing = stems(`eat eating food dine dining cook make sleep read`)

// anything are words that stand for all leaves.
var anything = set(`anything everything something nothing stuff things all plans whatever`)

// aliases are other words for values, where a field has no such value.
var aliases = map[string][]string{
	"supper": {"dinner"}, "dinner": {"supper", "evening"}, "evening": {"dinner", "supper"}, "night": {"dinner", "supper", "evening"}, "tonight": {"dinner", "supper", "evening"},
	"morning": {"breakfast"}, "breakfast": {"morning"}, "noon": {"lunch", "midday"}, "midday": {"lunch", "noon"}, "afternoon": {"snack", "tea"},
	"mum": {"mother"}, "mom": {"mother"}, "dad": {"father"}, "wife": {"mother"}, "husband": {"father"}, "girl": {"daughter"}, "boy": {"son"},
	"son": {"boy"}, "daughter": {"girl"},
	"dessert": {"sweet", "pudding", "afters"}, "sweet": {"dessert"}, "pudding": {"dessert", "sweet"}, "afters": {"dessert", "sweet"},
	"starter": {"appetizer", "appetiser", "entree"}, "appetizer": {"starter"}, "appetiser": {"starter"}, "entree": {"main", "starter"},
	"home": {"household", "house"}, "house": {"household", "home"}, "office": {"work"},
	"study": {"learning", "education"}, "finance": {"money"}, "family": {"household"},
}

// idioms are ways of saying what a plainer word says.
var idioms = []struct {
	pattern *pattern
	plain   string
}{
	{re(`\b(?:out in the (?:open|rain|sun)|in the open(?: air)?|out of doors|under the (?:open )?(?:sky|stars)|in the fresh air|get (?:soaked|wet|drenched)|open to the (?:sky|weather)|exposed to the weather|without a roof)\b`), "outdoors"},
	{re(`\b(?:under (?:a )?(?:roof|cover)|out of the (?:rain|wet)|in the dry|with a roof|rain[- ]?proof|sheltered from the rain)\b`), "indoors"},
	{re(`\b(?:little ones?|young ones?|youngsters?|for the young)\b`), "child"},
	{re(`\b(?:free of charge|for nothing|without paying|costs? nothing|for free)\b`), "free"},
	{re(`\b(?:does(?:n['’]t| not) eat|do(?:n['’]t| not) eat|without|no|avoids?|can(?:['’]t|not) stand|gave up|off) (?:any )?meat(?: or fish| and fish)?\b`), "vegetarian"},
}

// A fieldKind says how the values of a field are read.
type fieldKind string

const (
	kindName     fieldKind = "name"
	kindText     fieldKind = "text"
	kindTime     fieldKind = "time"
	kindDate     fieldKind = "date"
	kindMoney    fieldKind = "money"
	kindStatus   fieldKind = "status"
	kindPriority fieldKind = "priority"
	kindDuration fieldKind = "duration"
	kindNumber   fieldKind = "number"
	kindPerson   fieldKind = "person"
	kindPlace    fieldKind = "place"
	kindList     fieldKind = "list"
	kindOrder    fieldKind = "order"
)

// kindWords tells the kind of a field by a word of its name.
var kindWords = []struct {
	kind  fieldKind
	words map[string]bool
}{
	{kindDuration, stems(`duration length estimate effort minutes min hours prep cook preparation cooking runtime wait waiting`)},
	{kindStatus, stems(`status state progress stage done completed finished condition`)},
	{kindPriority, stems(`priority importance urgency`)},
	{kindMoney, stems(`cost price fee budget amount rate expense payment fare charge salary euro euros dollar dollars pound pounds eur usd gbp ticket`)},
	{kindDate, stems(`deadline due date until expiry expires published birthday born sown planted harvest`)},
	{kindTime, stems(`time start end hour slot begin opening closing when schedule`)},
	{kindPerson, stems(`owner assignee author who host teacher lecturer speaker contact guide tutor responsible instructor artist writer leader helper person people coach trainer umpire referee driver volunteer carer caretaker organiser organizer supervisor manager assistant worker buyer whom`)},
	{kindPlace, stems(`location place address where room venue area site position`)},
	{kindName, stems(`name title label heading`)},
	{kindOrder, stems(`index number no order nr position rank`)},
	{kindText, stems(`description note notes summary detail details comment preferences theme about remark`)},
}

// askWords are words that ask for a kind of field or speak of it.
var kindAsks = map[fieldKind]map[string]bool{
	kindTime:     stems(`time start begin end hour clock early late slot schedule`),
	kindDate:     stems(`deadline due date`),
	kindMoney:    stems(`cost price pay spend fee expensive cheap dear pricey charge budget money pound dollar euro bill afford pricy costly set`),
	kindStatus:   stems(`status state progress`),
	kindPriority: stems(`priority importance urgency`),
	kindDuration: stems(`duration length estimate effort`),
	kindPerson:   stems(`who whom whose`),
	kindPlace:    stems(`where location address`),
}

// A value class is a set of words for the same state, such as finished, with
// the words that fields use for it.
type valueClass struct {
	name  string
	kind  fieldKind
	words []string // phrases in lower case; the first is the plainest
}

var valueClasses = []valueClass{
	{"done", kindStatus, []string{"done", "complete", "completed", "finished", "closed", "resolved", "sorted", "ticked off", "wrapped up", "over with", "over and done with", "dealt with", "crossed off", "behind me", "behind us", "already did", "checked off", "out of the way", "read", "harvested", "paid"}},
	{"active", kindStatus, []string{"in progress", "doing", "started", "ongoing", "underway", "under way", "active", "in the works", "halfway", "half done", "half finished", "working on", "begun", "on the go", "part way", "in hand", "reading", "growing", "in the middle of"}},
	{"blocked", kindStatus, []string{"blocked", "waiting", "on hold", "stuck", "held up", "paused", "stalled", "can't move", "waiting on", "waiting for", "stopped", "hold up", "holding up", "stand still", "at a standstill"}},
	{"open", kindStatus, []string{"not started", "todo", "to do", "open", "pending", "planned", "not begun", "new", "unstarted", "untouched", "hasn't been started", "haven't started", "not yet started", "yet to start", "hasn't started", "haven't been started", "haven't begun", "nobody has started", "not been started", "haven't touched", "not touched", "yet to begin", "unread", "to be read"}},
	{"cancelled", kindStatus, []string{"cancelled", "canceled", "dropped", "abandoned", "called off", "scrapped", "axed", "scratched"}},
	{"high", kindPriority, []string{"high", "urgent", "top", "critical", "important", "highest", "pressing", "crucial", "can't wait", "cannot wait", "matters most", "top of the list", "high up", "vital", "essential"}},
	{"medium", kindPriority, []string{"medium", "normal", "moderate", "middling", "mid", "middle"}},
	{"low", kindPriority, []string{"low", "minor", "unimportant", "lowest", "trivial", "can wait", "no rush", "no hurry", "least important", "not urgent", "not important", "least urgent", "not pressing", "back burner"}},
}

// unfinished are words for every state but finished.
var unfinished = []string{
	"not done", "not finished", "not complete", "not completed", "unfinished", "incomplete", "outstanding", "remaining", "left", "left to do", "still to do",
	"still open", "still have to", "still need to", "yet to do", "undone", "not been done", "remain", "remains", "to be done", "isn't done", "aren't done",
	"isn't finished", "aren't finished", "still on my plate", "on my plate", "on his plate", "on her plate", "on their plate", "on our plate", "not yet done", "haven't done", "haven't finished", "hasn't been done", "haven't been done",
	"haven't got round to", "have not done", "have not finished", "still to be done", "still outstanding", "still left", "still waiting to be done", "not ticked off", "still pending",
	"need doing", "needs doing", "still need doing", "still needs doing", "needs to be done", "need to be done", "have to do", "still unfinished", "not closed", "unresolved", "uncompleted",
	"ahead of me", "ahead of us", "ahead of him", "ahead of her", "ahead of them", "still ahead", "lie ahead", "lies ahead", "still to come", "yet to come", "coming up", "upcoming",
}

// relativeWords are words for persons by what values of a field say of them.
type relativeWords struct {
	words  []string
	values []string // words of values that fit
	young  bool     // fits those with an age below 13
	teen   bool     // fits those with an age from 13 to 19
	least  bool     // fits the one of the lowest age
	most   bool     // fits the one of the highest age
}

var relatives = []relativeWords{
	{words: []string{"little one", "little girl", "little boy", "youngest", "the baby", "toddler", "small one", "smallest", "the kid", "kid", "primary schooler"}, least: true, values: []string{"toddler", "baby", "youngest"}},
	{words: []string{"teenager", "teen", "adolescent", "older child", "elder child", "older one", "oldest child", "eldest child"}, teen: true, values: []string{"teenager", "teen"}},
	{words: []string{"kids", "children", "little ones", "young ones"}, young: true, teen: true, values: []string{"child", "kid", "son", "daughter"}},
	{words: []string{"parents", "grown-ups", "grown ups", "adults"}, values: []string{"mother", "father", "mum", "mom", "dad", "parent", "adult"}},
	{words: []string{"girl", "girls", "daughter"}, values: []string{"daughter", "girl"}},
	{words: []string{"boy", "boys", "son"}, values: []string{"son", "boy"}},
	{words: []string{"mum", "mom", "mother", "mummy"}, values: []string{"mother", "mum", "mom"}},
	{words: []string{"dad", "father", "daddy"}, values: []string{"father", "dad"}},
}

// findRelatives looks for persons that are named by their place in a family.
func (r *reading) findRelatives() {
	for _, k := range r.v.kinds {
		if k.leaf || k.name == r.v.root || slices.ContainsFunc(r.scopes, func(s scope) bool { return s.kind == k.name && s.field != "" }) {
			continue
		}
		for _, f := range k.fields {
			if f.kind == kindStatus || f.kind == kindPriority || f.kind == kindDate {
				continue
			}
			for _, rel := range relatives {
				fit := rel.fit(f.values)
				if len(fit) == 0 {
					continue
				}
				for _, w := range longest(rel.words) {
					if at := r.claimAny(strings.ReplaceAll(w, "-", " ")); at >= 0 {
						r.addScope(scope{kind: k.name, field: f.name, values: fit, negated: r.negatedAt(at)})
						r.scoped[at] = k.name
					}
				}
			}
		}
	}
}

// fit returns the values that words for a relative fit.
func (rel *relativeWords) fit(values []string) []string {
	var out []string
	low, high, lowest, highest := 200, -1, "", ""
	for _, v := range values {
		ls := lows(v)
		if slices.ContainsFunc(ls, func(l string) bool { return slices.Contains(rel.values, l) }) {
			out = append(out, v)
			continue
		}
		for _, l := range ls {
			age, err := strconv.Atoi(l)
			if digits(strings.TrimSpace(v)) {
				continue // a number alone is no age
			}
			if err != nil || age < 0 || age > 120 || len(ls) > 6 {
				continue
			}
			if age < low {
				low, lowest = age, v
			}
			if age > high {
				high, highest = age, v
			}
			if rel.young && age < 13 || rel.teen && age >= 13 && age < 20 {
				out = append(out, v)
			}
		}
	}
	if rel.least && lowest != "" && len(out) == 0 {
		out = append(out, lowest)
	}
	if rel.most && highest != "" && len(out) == 0 {
		out = append(out, highest)
	}
	return out
}
