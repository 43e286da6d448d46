package reader

import (
	"maps"
	"strings"
)

// categories lists everyday members of everyday categories: the noun that a
// question names, then words that are instances of it. Nouns of the same
// meaning share a line, with a bar between.
const categories = `
instrument: piano guitar violin drums drum flute clarinet saxophone trumpet cello ukulele bass harp harmonica keyboard banjo viola trombone oboe organ accordion
color colour: red blue green yellow purple pink orange black white brown gray grey gold silver turquoise beige navy teal violet crimson
pet animal: dog cat puppy kitten turtle fish bird parrot hamster rabbit bunny guinea pig snake lizard horse pony hedgehog ferret gecko iguana tortoise goat sheep cow chicken duck fox wolf bear deer lion tiger elephant monkey dolphin whale shark owl eagle butterfly
sport: basketball football soccer baseball tennis volleyball hockey golf swimming running cycling surfing skiing snowboarding skateboarding climbing boxing wrestling yoga badminton rugby cricket softball gymnastics rowing kayaking karate judo taekwondo kickboxing jiu-jitsu bowling archery fencing dance
activity hobby pastime exercise interest: painting drawing reading writing hiking camping swimming running jogging cycling biking yoga dancing cooking baking gardening fishing surfing skiing climbing kayaking photography pottery knitting sewing singing gaming traveling travelling volunteering meditation boxing kickboxing gym sports chess sculpting skating rafting birdwatching woodworking crafting
country nation: afghanistan argentina australia austria bangladesh belgium bolivia brazil bulgaria cambodia cameroon canada chile china colombia croatia cuba denmark ecuador egypt england estonia ethiopia fiji finland france germany ghana greece guatemala hungary iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kenya korea kuwait laos latvia lebanon lithuania luxembourg malaysia maldives malta mexico monaco mongolia morocco myanmar nepal netherlands nigeria norway oman pakistan panama paraguay peru philippines poland portugal qatar romania russia rwanda scotland senegal serbia singapore slovakia slovenia somalia spain sudan sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uk us usa uruguay venezuela vietnam wales yemen zambia zimbabwe
state: alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana nebraska nevada hampshire jersey york carolina dakota ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming
city: amsterdam athens atlanta austin baltimore bangkok barcelona beijing berlin boston brisbane brussels budapest cairo chicago cleveland copenhagen dallas delhi denver detroit dublin edinburgh florence geneva hamburg helsinki houston istanbul jakarta kyoto lima lisbon london angeles madrid manchester manila melbourne mexico miami milan minneapolis montreal moscow mumbai munich nairobi naples nashville orleans york orlando osaka oslo paris philadelphia phoenix pittsburgh portland prague rome sacramento diego francisco seattle seoul shanghai singapore stockholm sydney tampa tokyo toronto vancouver venice vienna warsaw zurich vegas
food dish meal dessert snack recipe treat cuisine: cake pie cookies cookie brownies brownie ice-cream cream chocolate cupcakes cupcake muffin muffins tart pudding sundae cobbler cheesecake salad salads soup sandwich sandwiches pizza pasta lasagna rice sushi tacos taco burger burgers chicken beef pork steak fish salmon shrimp bread cheese eggs pancakes waffles stew curry chili noodles vegetables veggies fruit smoothie bowls granola yogurt popcorn pastries croissants barbecue bbq
drink beverage: coffee tea wine beer juice water milk soda lemonade smoothie cocktail whiskey
vehicle car: car truck van bike bicycle motorcycle bus scooter suv jeep convertible sedan minivan tractor boat train tram
emotion feeling: happy happiness joy joyful sad sadness anger angry fear scared excited excitement relief relieved worry worried anxiety anxious nervous proud pride grateful gratitude hope hopeful love thankful calm peace peaceful frustrated frustration awe nostalgic inspired overwhelmed lonely stressed content surprised
family relative: mother father mom dad sister brother son daughter wife husband cousin aunt uncle grandmother grandfather grandma grandpa niece nephew
job career profession occupation: teacher doctor nurse engineer lawyer counselor writer author artist designer developer programmer chef manager banker accountant scientist researcher musician actor athlete coach photographer mechanic firefighter police officer journalist editor salesman consultant therapist psychologist veterinarian
subject field major degree: math mathematics science physics chemistry biology history geography literature english psychology sociology economics business marketing philosophy art music engineering medicine law politics education nursing accounting finance
genre: fantasy mystery romance thriller horror comedy drama action adventure science-fiction sci-fi classical jazz rock pop country folk blues hip-hop electronic
holiday: christmas thanksgiving easter halloween hanukkah ramadan diwali
season: spring summer fall autumn winter
shape symbol: heart star circle flag cross rainbow eagle butterfly
tool device gadget: phone laptop computer tablet camera watch printer console
clothing outfit: shirt dress jacket hoodie shoes boots jeans hat scarf sweater skirt coat suit sneakers
material: clay wood metal glass plastic paper leather cotton stone
flower plant: rose roses tulip tulips sunflower sunflowers lily lilies daisy daisies orchid lavender succulents cactus fern
`

// placeNouns are common nouns of places.
const placeNouns = `beach park gym school college university hospital clinic church library museum restaurant cafe café bar
pub mountain mountains forest woods lake river ocean sea desert island farm garden home house apartment office studio
store shop mall market theater theatre cinema stadium arena court gallery hotel airport station zoo aquarium shelter
center centre downtown village town city country hometown neighborhood neighbourhood street trail waterfall canyon
coast countryside camp campground backyard kitchen classroom club festival bookstore bakery pool`

// places are the places that have names in the lists, and placeNouns.
var places = union(set(placeNouns), members[hash(stem("country"))], members[hash(stem("state"))], members[hash(stem("city"))])

func union(sets ...map[string]bool) map[string]bool {
	all := make(map[string]bool)
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}

// members maps the stem of a category's noun to the lower-case words that are
// its instances.
var members = readCategories(categories)

func readCategories(text string) map[uint64]map[string]bool {
	m := make(map[uint64]map[string]bool)
	for line := range strings.Lines(text) {
		heads, words, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		list := set(words)
		for head := range strings.FieldsSeq(heads) {
			m[hash(stem(head))] = list
		}
	}
	return m
}
