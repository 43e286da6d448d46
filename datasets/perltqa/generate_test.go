package perltqa_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"recallbench/datasets/perltqa"
)

// The counts of the release, as its loaders report them.
var (
	// records are the memories of 141 characters by section.
	records = map[perltqa.Section]int{perltqa.Profile: 141, perltqa.Relationships: 1339, perltqa.Events: 3037, perltqa.Dialogues: 3004}
	// published are the questions by section, 8,593 about 32 characters.
	published = map[perltqa.Section]int{perltqa.Profile: 357, perltqa.Relationships: 897, perltqa.Events: 4501, perltqa.Dialogues: 2838}
	// resolvable are those that name a memory which is there, 8,305.
	resolvable = map[perltqa.Section]int{perltqa.Profile: 345, perltqa.Relationships: 867, perltqa.Events: 4349, perltqa.Dialogues: 2744}
	// ungrounded are the questions about the character without a memory.
	ungrounded = map[perltqa.Section]int{perltqa.Profile: 12, perltqa.Relationships: 26, perltqa.Events: 145, perltqa.Dialogues: 94}
	// dangling are those that name a memory which is not there.
	dangling = map[perltqa.Section]int{perltqa.Profile: 0, perltqa.Relationships: 4, perltqa.Events: 7, perltqa.Dialogues: 0}
)

const (
	characters = 141
	blocks     = 32
	strung     = 25 // characters whose relationships are a string
)

type object = map[string]any

// A generator writes data of the release's shape and size, with its quirks.
type generator struct {
	rand   *rand.Rand
	pulp   string
	memory object
	// ids are the memories of each character by section.
	ids map[string]map[perltqa.Section][]string
}

// release generates the two files once.
var release = sync.OnceValues(func() (memory, questions perltqa.File) {
	g := generator{
		rand:   rand.New(rand.NewPCG(1, 2)),
		memory: object{},
		ids:    make(map[string]map[perltqa.Section][]string),
	}
	g.pulp = pulp(g.rand)
	var names []string
	for i := range characters {
		names = append(names, name(i))
		g.character(i, names[i])
	}
	// The one without a memory is the last but one, as good a place as any.
	asked := slices.Insert(slices.Clone(names[:blocks-1]), blocks-2, "dragon beautiful")
	var all []object
	for i, who := range asked {
		all = append(all, object{who: g.questions(i, who)})
	}
	return perltqa.File{Name: "perltmem_en_v2.json", Data: encode(g.memory)}, perltqa.File{Name: "perltqa_en_v2.json", Data: encode(all)}
})

func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

var (
	surnames = strings.Fields("Wang Li Zhang Liu Chen Yang Zhao Huang Zhou Wu Xu Sun")
	given    = strings.Fields("Xiaoming Na Ming Xiaohong Wei Lili Zhi Meng Lei Yan Hao Mei")
	words    = strings.Fields("the a of and to in was talked about farm project seminar skydiving weekend friend " +
		"experience together hospital design music learned city building helped discussed theory practice")
)

// name returns the name of a character, another one for each below 144.
func name(i int) string {
	return surnames[i%len(surnames)] + " " + given[(i+i/len(surnames))%len(given)]
}

// tiny is the character, Chen Zhi, of whom little is remembered and asked: 35
// memories, each line of a dialogue being one, and 40 questions.
const tiny = 28

var (
	tinyRecords   = map[perltqa.Section]int{perltqa.Profile: 1, perltqa.Relationships: 5, perltqa.Events: 8, perltqa.Dialogues: 2}
	tinyQuestions = map[perltqa.Section]int{perltqa.Profile: 10, perltqa.Relationships: 5, perltqa.Events: 15, perltqa.Dialogues: 10}
)

// share returns the i-th of n parts of a whole. The tiny one's is given, and
// the others' are even.
func share(whole, n, i, small int) int {
	switch {
	case i == tiny:
		return small
	case i > tiny:
		i--
	}
	n, whole = n-1, whole-small
	return whole*(i+1)/n - whole*i/n
}

// pulp returns words to cut texts from.
func pulp(r *rand.Rand) string {
	var b strings.Builder
	for b.Len() < 1<<16 {
		b.WriteString(words[r.IntN(len(words))] + " ")
	}
	return b.String()
}

// prose returns a text of n characters.
func (g *generator) prose(n int) string {
	from := g.rand.IntN(len(g.pulp) - n)
	return "T" + strings.TrimSpace(g.pulp[from:from+n-2]) + "."
}

// character generates the memory of a character.
func (g *generator) character(i int, who string) {
	c := i + 1
	ids := map[perltqa.Section][]string{}
	profile := object{"Protagonist": who, "Age": 18 + i%60}
	for _, field := range []string{
		"Gender", "Nickname", "Title", "Occupation", "Nationality", "Physical Characteristics", "Hobbies", "Achievements",
		"Ethnic Background", "Education Background", "Employer", "Awards and Role Models",
	} {
		profile[field] = g.prose(25)
		ids[perltqa.Profile] = append(ids[perltqa.Profile], field)
	}
	relationships, events, dialogues := object{}, object{}, object{}
	known := share(records[perltqa.Relationships], characters, i, tinyRecords[perltqa.Relationships])
	for r := range known {
		id := fmt.Sprintf("%d_%d", c, r)
		ids[perltqa.Relationships] = append(ids[perltqa.Relationships], id)
		relationships[id] = object{
			// The names are those of other characters.
			"Supporting Characters": name(g.rand.IntN(characters)),
			"Description":           who + "’s " + g.prose(20),
			"Relationship":          "it's a \"friend\"",
		}
	}
	for e := range share(records[perltqa.Events], characters, i, tinyRecords[perltqa.Events]) {
		id := fmt.Sprintf("%d_%d_%d", c, e%known, e/known)
		ids[perltqa.Events] = append(ids[perltqa.Events], id)
		events[id] = object{
			"content": g.prose(900), "summary": strings.TrimSuffix(g.prose(40), "."), "Theme": g.prose(20),
			"Characters": []string{fmt.Sprintf("%d_%d", c, e%known)}, "Creation Time": g.time(e), "Last Accessed Time": "",
		}
	}
	for k := range share(records[perltqa.Dialogues], characters, i, tinyRecords[perltqa.Dialogues]) {
		event := ids[perltqa.Events][k%len(ids[perltqa.Events])]
		id := fmt.Sprintf("%s#%d", event, k)
		ids[perltqa.Dialogues] = append(ids[perltqa.Dialogues], id)
		var lines []string
		for j := range 10 + k%11 {
			lines = append(lines, []string{who, name(i + 1 + k)}[j%2]+": "+g.prose(150))
		}
		clock := fmt.Sprintf("%d-%02d-15 10:00", 2015+k%9, 1+k%12)
		dialogues[id] = object{"events": event, "contents": object{clock: lines}}
	}
	g.ids[who] = ids
	g.memory[who] = object{
		"profile": profile, "profile_description": "**Protagonist: " + who + "**\n\n" + g.prose(1500),
		"social_relationship": g.strung(i, relationships), "events": events, "dialogues": dialogues,
	}
}

// strung writes the relationships of 25 characters, some of them asked about,
// as Python prints a dict.
func (g *generator) strung(i int, relationships object) any {
	if i%5 != 0 || i/5 >= strung {
		return relationships
	}
	dict := func(o object, value func(any) string) string {
		var pairs []string
		for name, x := range o {
			pairs = append(pairs, quoted(name)+": "+value(x))
		}
		slices.Sort(pairs)
		return "{" + strings.Join(pairs, ", ") + "}"
	}
	return dict(relationships, func(x any) string {
		return dict(x.(object), func(x any) string { return quoted(x.(string)) })
	})
}

// quoted writes a text of letters and quotes as Python does.
func quoted(s string) string {
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `\'`) + "'"
}

// time returns when an event was, which is free text.
func (g *generator) time(e int) string {
	switch e % 10 {
	case 3:
		return "October 2021"
	case 6:
		return "1961"
	case 9:
		return "during an election"
	default:
		return fmt.Sprintf("May %d, %d", 1+e%28, 2015+e%9)
	}
}

// questions generates the questions about a character, of whom there may be no
// memory.
func (g *generator) questions(i int, who string) object {
	out := object{}
	position := i
	if i > blocks-2 {
		position-- // of those with a memory
	}
	for _, section := range slices.Sorted(maps.Keys(published)) {
		ids, n := g.ids[who][section], share(resolvable[section], blocks-1, position, tinyQuestions[section])
		if g.ids[who] == nil {
			ids, n = []string{"141_0_0"}, ungrounded[section]
		}
		missing := 0
		if section == perltqa.Relationships && i == 3 || section == perltqa.Events && i == 4 {
			missing = dangling[section]
		}
		var flat []object
		var order []string
		groups := map[string][]object{}
		for j := range n + missing {
			id := ids[j*len(ids)/(n+missing)]
			if j >= n {
				id = fmt.Sprintf("%d_99_%d", i+1, j)
			}
			reference := "['" + id + "']"
			if section == perltqa.Profile {
				reference = id
			}
			qa := object{
				"Question": "What of " + who + " and the " + g.prose(40), "Answer": g.prose(90), "Reference Memory": reference,
				"Memory Anchors": []object{{"it&#39;s " + g.prose(12): []int{44, 45}}, {"&quot;so&quot;": []int{-1, -1}}},
			}
			flat = append(flat, qa)
			if !slices.Contains(order, id) {
				order = append(order, id)
			}
			groups[id] = append(groups[id], qa)
		}
		if section == perltqa.Profile {
			out[string(section)] = flat
			continue
		}
		grouped := []object{}
		for _, id := range order {
			grouped = append(grouped, object{id: groups[id]})
		}
		out[string(section)] = grouped
	}
	return out
}
