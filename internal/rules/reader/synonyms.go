package reader

import "strings"

// synonymGroups are everyday words that speakers and askers use for the same
// thing. A line break ends a group.
const synonymGroups = `
mom mother mum
dad father
parent mother father mom dad
kid child son daughter toddler
sibling brother sister
grandma grandmother granny
grandpa grandfather
wife husband spouse partner marry
marry wedding marriage spouse
girlfriend boyfriend partner date
friend buddy pal
pet dog cat puppy kitten animal
dog puppy pup
cat kitten kitty
movie film
book novel read
game tournament match
tournament tourney competition contest
picture photo photograph image pic
car vehicle truck
bike bicycle cycle
house home apartment
job work career occupation profession
boss manager employer
company business firm startup
buy purchase get
receive get give gift
gift present
start begin launch open
launch open
finish complete end
quit leave
visit travel trip go
travel trip journey vacation
trip vacation holiday getaway travel
hike hiking trail
doctor physician hospital
sick ill disease illness
health healthy diet fitness
exercise workout gym fitness
run jog race
cook bake recipe meal dish
food meal dish snack
meal dinner lunch breakfast
dessert cake cookie pie
drink tea coffee beverage
music song band album concert
instrument guitar piano violin drum
song tune track
sing song
concert gig show festival
art paint drawing sculpture
painting paint canvas
write writing author
class course lesson workshop
learn study
school college university
teacher professor instructor
degree graduate diploma
happy glad joy excited
sad upset unhappy
scared afraid fear
angry mad
love like enjoy favorite
enjoy love like
like love enjoy
favorite best love
hobby interest pastime
relax unwind destress calm
stress anxiety pressure
help support assist aid
volunteer charity donate
money fund cash finance
win victory award prize
award prize trophy medal
injury hurt injure pain
accident crash
die death pass lose
death pass die
born birth birthday
move relocate
country nation
town city
beach ocean sea shore coast
forest wood
mountain hill peak
garden plant flower
store shop
clothes clothing outfit fashion
talk speak discuss chat
say tell mention
meet encounter
plan intend want
dream goal aspiration
goal aim target
idea concept
problem challenge issue difficulty obstacle
advice tip suggestion recommend
suggest recommend advise
recommend suggest
inspire motivate encourage
motivate inspire drive
motivation inspire drive
decide choose
pick choose select
fix repair
create make build
build construct
describe call
symbolize represent mean stand symbol
remind reminder memory
adopt adoption rescue
share show
religion church faith
nature outdoors
phone cell
computer laptop pc
movie cinema
nickname call
color colour
snake reptile
teach mentor coach
attend go join participate
participate join attend
join sign
perform dance stage
event show fair festival
`

// synonyms maps a stem to the stems of its groups' other members: a group is
// reached from its first word only, because words of one meaning are not
// equal in all others.
var synonyms = readSynonyms(synonymGroups)

func readSynonyms(groups string) map[uint64][]uint64 {
	m := make(map[uint64][]uint64)
	for line := range strings.Lines(groups) {
		f := strings.Fields(line)
		for i, w := range f {
			if i > 0 {
				head := hash(stem(lemma(f[0])))
				m[head] = append(m[head], hash(stem(lemma(w))))
			}
		}
	}
	return m
}
