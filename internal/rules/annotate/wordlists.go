package annotate

// The lists below are closed classes, irregular forms and everyday words, written
// down from general knowledge.

const verbForms = `
was be were be been be is be are be am be being be has have had have having have does do did do done do doing do
goes go went go gone go going go ate eat eaten eat began begin begun begin bought buy brought bring broke break broken break
built build came come caught catch chose choose chosen choose drew draw drawn draw drove drive driven drive
drank drink drunk drink fell fall fallen fall felt feel fought fight found find flew fly flown fly forgot forget
forgotten forget gave give given give got get gotten get grew grow grown grow heard hear held hold hid hide hidden hide
kept keep knew know known know led lead left leave lost lose made make meant mean met meet paid pay ran run
rode ride ridden ride rose rise risen rise said say saw see seen see sold sell sent send sang sing sung sing sat sit
slept sleep spoke speak spoken speak spent spend stood stand stole steal stolen steal swam swim swum swim took take
taken take taught teach told tell thought think threw throw thrown throw understood understand woke wake woken wake
wore wear worn wear won win wrote write written write became become blew blow blown blow bent bend bit bite bitten bite
dealt deal dug dig fed feed froze freeze frozen freeze hung hang laid lay lit light rang ring rung ring sought seek
shook shake shaken shake shone shine shot shoot shown show sank sink slid slide stuck stick struck strike swept sweep
tore tear torn tear wept weep lying lie dying die tying tie seeing see being be agreeing agree freeing free
`

const nounForms = `
children child men man women woman people people feet foot teeth tooth mice mouse wives wife lives life leaves leaf knives knife
shelves shelf halves half loaves loaf wolves wolf thieves thief news news series series species species movies movie
cookies cookie ties tie pies pie shoes shoe buses bus gases gas glasses glass addresses address boxes box kids kid
heroes hero photos photo videos video pianos piano
`

// verbBases are bases that lose nothing before -ed and -ing although their
// spelling looks as if, and short ones that end in a silent e.
const verbBases = `
visit open offer happen listen answer order travel cancel suggest book look cook work walk talk wait want need help ask
start finish show play stay enjoy follow call check pick pack plan stop drop shop chat plant edit limit benefit profit
enter remember consider deliver discover cover matter bother gather water wonder hear clear appear fear repair pair
explain train rain gain remain contain maintain join obtain complain entertain learn earn turn return burn warn
add end send spend attend depend mind find land hand need read lead head avoid load reload wed
use close choose lose cause please increase purchase promise exercise advise raise praise
make take bake like hike bike joke smoke wake shake hope type share care prepare compare hire fire tire admire require
save give live love move leave have drive arrive receive believe serve reserve solve change arrange manage charge
ride decide provide include guide hide side write invite unite quote note vote date create update locate rate relate celebrate
come name become time dine shine combine determine imagine line mine phone postpone tune fine define
smile file rule handle settle double schedule sample single mingle hate taste waste paste
eat treat heat beat seat meet greet cheat sit hit fit get set let put cut quit regret admit commit permit submit
sleep keep help jump camp ship skip sip tip map trip wrap
relax fix mix tax box fax sew bow know grow throw allow borrow
focus bus gas kiss miss pass guess discuss press dress cross
`

const nationWords = `
african american arab asian australian austrian belgian brazilian british canadian caribbean chinese corsican creole cuban czech danish
dutch egyptian english eritrean ethiopian european filipino finnish french german greek hungarian indian indonesian irish israeli italian
jamaican japanese jewish korean latin lebanese malaysian mediterranean mexican moroccan nigerian norwegian pakistani persian peruvian polish
polynesian portuguese romanian russian scandinavian scottish singaporean slovak spanish swedish swiss syrian taiwanese thai tunisian turkish
ukrainian vietnamese welsh catalan tuscan basque muslim christian
`

const landNames = `
afghanistan, albania, algeria, argentina, armenia, australia, austria, bangladesh, belgium, bolivia, brazil, bulgaria, cambodia,
canada, chile, china, colombia, costa rica, croatia, cuba, cyprus, denmark, ecuador, egypt, england, estonia, ethiopia,
finland, france, germany, ghana, greece, guatemala, haiti, hungary, iceland, india, indonesia, iran, iraq, ireland, israel,
italy, jamaica, japan, jordan, kenya, korea, south korea, north korea, kuwait, laos, latvia, lebanon, libya, lithuania,
luxembourg, malaysia, malta, mexico, mongolia, morocco, nepal, netherlands, new zealand, nicaragua, nigeria, norway, pakistan,
panama, paraguay, peru, philippines, poland, portugal, qatar, romania, russia, rwanda, saudi arabia, scotland, senegal, serbia,
singapore, slovakia, slovenia, somalia, south africa, spain, sri lanka, sudan, sweden, switzerland, syria, taiwan, tanzania,
thailand, tunisia, turkey, uganda, ukraine, united kingdom, united states, uruguay, usa, u.s., u.s.a., uk, u.k., us, venezuela, vietnam, wales, zimbabwe
amsterdam, athens, atlanta, auckland, austin, baltimore, bangkok, barcelona, beijing, berlin, birmingham, boston, bristol, brussels,
bucharest, budapest, buenos aires, cairo, cambridge, cape town, cardiff, charlotte, chicago, cologne, copenhagen, dallas, delhi, denver, detroit,
dublin, edinburgh, florence, frankfurt, geneva, glasgow, hamburg, hanoi, havana, helsinki, hong kong, honolulu, houston, istanbul, jakarta, jerusalem,
york, bath, brighton, southampton, plymouth, exeter, coventry,
kyoto, las vegas, leeds, leicester, lisbon, liverpool, london, los angeles, lyon, madrid, manchester, melbourne, memphis, mexico city, miami, milan, minneapolis, minsk,
montreal, moscow, mumbai, munich, nairobi, naples, nashville, new delhi, new orleans, new york, new york city, norwich, nottingham, osaka, oslo, ottawa, oxford, paris,
philadelphia, phoenix, pittsburgh, portland, prague, rio de janeiro, rome, san diego, san francisco, santiago, seattle, seoul, shanghai, sheffield, stockholm, stuttgart,
sydney, tel aviv, tokyo, toronto, tulsa, vancouver, venice, vienna, warsaw, washington, zurich
alabama, alaska, arizona, arkansas, california, colorado, connecticut, delaware, florida, georgia, hawaii, idaho, illinois, indiana, iowa, kansas,
kentucky, louisiana, maine, maryland, massachusetts, michigan, minnesota, mississippi, missouri, montana, nebraska, nevada, new hampshire,
new jersey, new mexico, north carolina, north dakota, ohio, oklahoma, oregon, pennsylvania, rhode island, south carolina, south dakota, tennessee,
texas, utah, vermont, virginia, west virginia, wisconsin, wyoming
europe, asia, africa, north america, south america
`

const masculineNouns = `
man boy guy father dad daddy papa son brother bro husband boyfriend uncle nephew grandfather grandpa granddad grandson stepfather stepson
father-in-law brother-in-law son-in-law king prince gentleman groom fiance actor waiter fireman policeman fella dude bloke landlord lad
`

const feminineNouns = `
woman girl lady mother mom mum mommy mummy mama daughter sister sis wife girlfriend aunt auntie niece grandmother grandma granny granddaughter
stepmother stepdaughter mother-in-law sister-in-law daughter-in-law queen princess bride fiancee actress waitress landlady
`

const peopleNouns = `
person people friend colleague coworker co-worker boss manager neighbor neighbour cousin child kid baby partner spouse parent sibling doctor nurse
teacher student agent driver guest roommate flatmate chef host tutor coach lawyer dentist therapist assistant client customer patient
receptionist owner writer singer player builder worker reporter painter artist author editor farmer baker banker soldier minister pastor priest judge
pilot sailor scientist engineer librarian barber salesman stranger host guide ex grandparent grandchild twin mentor buddy pal mate professor supervisor trainer vet plumber instructor
`

const kinNouns = `
father dad daddy papa son brother bro husband boyfriend uncle nephew grandfather grandpa granddad grandson stepfather stepson father-in-law brother-in-law
son-in-law mother mom mum mommy mummy mama daughter sister sis wife girlfriend aunt auntie niece grandmother grandma granny granddaughter stepmother
stepdaughter mother-in-law sister-in-law daughter-in-law fiance fiancee friend colleague coworker co-worker boss manager neighbor neighbour cousin child kid baby partner spouse parent
sibling roommate flatmate ex grandparent grandchild twin mentor buddy pal mate doctor dentist therapist lawyer teacher supervisor trainer dog cat puppy kitten pet family
`

const placeNouns = `
lodging: hotel guesthouse guest-house hostel bnb b&b inn lodge lodging accommodation motel resort house
food: restaurant cafe eatery diner bistro pizzeria deli bakery takeaway steakhouse
drink: bar pub nightclub
museum: museum gallery
park: park garden gardens
school: school college university academy
faith: church cathedral temple mosque chapel
stage: cinema theatre theater
rail: station
air: airport
clinic: hospital clinic
shop: shop store market mall supermarket boutique bookstore bookshop
study: library
sport: gym pool stadium
sea: beach lake river
sight: attraction castle tower bridge palace
home: apartment flat
work: office
town: city town village
place: place spot venue location
`

const thingNouns = `
train: train
taxi: taxi cab
bus: bus coach
plane: flight plane
car: car
bike: bike bicycle
boat: boat ferry
booking: booking reservation
meeting: meeting appointment
event: party wedding concert ceremony festival conference race
trip: trip vacation holiday journey
ticket: ticket
table: table
room: room
dog: dog puppy
cat: cat kitten
pet: pet rabbit hamster parrot
book: book novel
film: movie film
song: song album
game: game
job: job
class: class course lesson workshop
project: project
painting: painting
guitar: guitar piano violin
gift: gift present
dish: cake recipe dish meal dinner lunch breakfast
phone: phone laptop computer camera
letter: letter email
`

const vagueNouns = `
thing way lot kind sort bit time day week month year moment while problem matter help question idea something anything nothing everything someone
anyone everyone somebody anybody one other preference rest all none information info number part case fact reason today tomorrow couple few need request choice luck
`

const imperativeVerbs = `
book find get give make take move cancel change check call tell show let bring put send add remove keep try remind
confirm reserve schedule order ask help search look go come leave stay wait buy turn set start stop play read write use
recommend suggest pick choose arrange plan note save forget remember thank say see think listen bear hold drop please
`

// commonWords are words of talk that a capital at the start of a sentence does
// not make names.
const commonWords = `
hi hey hello yeah yes yep yup nope no nah ok okay oh ah uh um hmm huh wow aw aww ooh oops ouch ugh yay whoa gosh jeez damn geez
bye goodbye cheers thanks thank please sorry welcome congrats congratulations absolutely definitely totally certainly sure maybe perhaps
awesome lovely amazing gorgeous cool great nice perfect excellent wonderful fantastic terrific cute yummy tasty fun funny silly crazy weird gross
mum mummy mommy grandma grandpa granny auntie puppy kitten doggie painting drawing hiking camping biking swimming running baking cooking knitting
guesthouse wifi vegan deli gluten dairy takeaway postcode online email website app selfie laptop smartphone podcast blog yoga pottery
god gosh goodness heaven heavens shh psst y'know c'mon goodnight woo-hoo uh-huh uh-oh mm-hmm yeah-yeah no-no okey-dokey
honey sweetie sweetheart darling dear babe baby buddy pal love hon ma'am madam sir dude dudes man guys folks everyone everybody
hostel gastropub brasserie cuisine cuisines noodle noodles postcodes guesthouses attractions carpark pub pubs parking yummy veggie wi-fi ensuite b&b info
centre centres theatre theatres colour colours favourite favourites metre metres programme cheque grey jewellery aeroplane tyre licence traveller travellers
asap preferably restaurants zip-code zip checkin checkout appt rsvp vegans nightclub timeframe timeslot itinerary itineraries availability
anyway anyhow actually basically literally honestly seriously obviously apparently unfortunately fortunately hopefully luckily alright alrighty
gonna wanna gotta kinda sorta dunno lemme gimme ya yall dude guys folks btw lol haha hehe omg fyi asap
i im ive ill id dont cant wont isnt didnt doesnt thats whats lets its
someone somebody something anyone anybody anything everyone everybody everything nobody nothing none
she he it they we you me him her us them my your his its our their mine yours ours theirs hers
who whom whose what which when where why how that this these those there here
a an the and or but so because if when while although though then also too again still yet just only even ever never
monday's checking booking looking going doing having getting making taking being coming working trying thinking feeling wanting needing
system user speaker
`

const shortNames = `
mike michael dave david dan daniel danny daniel tom thomas tommy thomas tim timothy jim james jimmy james
bob robert bobby robert rob robert robbie robert bill william billy william will william liz elizabeth beth elizabeth lizzy elizabeth kate katherine
katie katherine kathy katherine cathy catherine sam samuel joe joseph joey joseph nick nicholas chris christopher steve steven matt matthew
andy andrew tony anthony ben benjamin benny benjamin ed edward eddie edward ted theodore greg gregory jeff jeffrey ken kenneth kenny kenneth
larry lawrence rick richard ricky richard dick richard ron ronald ronnie ronald jess jessica jen jennifer jenny jennifer becky rebecca
becca rebecca maggie margaret meg margaret peggy margaret sue susan susie susan deb deborah debbie deborah barb barbara mel melanie cass cassandra
vicky victoria tori victoria nat natalie nate nathan alex alexander alexa alexandra sandy sandra mandy amanda abby abigail ali alison
gabby gabrielle izzy isabella bella isabella ellie eleanor nell eleanor phil philip pete peter fred frederick freddy frederick
charlie charles chuck charles harry harold hank henry jack john johnny john josh joshua zach zachary zack zachary val valerie tess theresa terry terence
`

const feminineNames = `
mary patricia jennifer linda elizabeth barbara susan jessica sarah sara karen lisa nancy betty sandra margaret ashley kimberly emily donna michelle
carol amanda melissa deborah stephanie rebecca laura sharon cynthia kathleen amy angela shirley anna anne ann annie brenda pamela emma nicole helen samantha
katherine catherine christine christina debra rachel carolyn caroline janet maria heather diane ruth julie olivia joyce virginia victoria kelly
lauren joan evelyn judith megan cheryl andrea hannah martha jacqueline frances gloria theresa teresa kathryn janice jean abigail alice judy
sophia grace denise amber doris marilyn danielle beverly isabella diana natalie brittany charlotte marie kayla rose kate
lucy sophie chloe ella mia ava zoe lily ruby daisy molly ellie eleanor jane jenny claire clara julia juliet elena irene nina nora
monica phoebe carol melanie joanna paula paige tina tanya sonia sofia natasha olga irina ingrid astrid freya heidi greta
priya asha aisha fatima leila layla yasmin zara amina mei ling yuki sakura hana akiko keiko kavya anjali deepa meera neha pooja divya lakshmi
carmen lucia pilar rosa isabel ines camila valentina gabriela mariana fernanda beatriz chiara giulia francesca bianca
bridget fiona maeve siobhan aoife niamh eileen gwen rhiannon erin shannon wendy tracy stacy becky maggie katie abby jess jen liz beth
peggy meg susie debbie vicky tess holly ivy hazel violet iris pearl stella bella luna maya leah naomi miriam esther deborah gina rachel
edith agnes vera ada ida mabel harriet penelope penny gillian joy faith hope dawn sue eve audrey sylvia
`

const masculineNames = `
james robert john michael david william richard joseph thomas charles christopher daniel matthew anthony mark donald steven paul andrew joshua
kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin
samuel gregory alexander frank patrick raymond jack dennis jerry tyler aaron jose adam nathan henry zachary douglas peter kyle noah ethan
jeremy walter christian keith roger terry austin sean gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce gabriel joe logan
alan juan albert willie elijah wayne randy vincent mason roy ralph bobby russell bradley philip eugene liam oliver harry leo oscar theo max felix
hugo simon martin neil graham stuart ian colin craig derek duncan ewan gareth rhys owen callum finn rory declan niall conor sven lars erik
joey mike barry chuck fred ted tom tim jim bob bill dave dan danny steve matt nick tony ben ed eddie greg jeff ken
rick ron phil pete charlie hank johnny josh zach andy rob ray
carlos miguel luis pedro pablo diego javier fernando rafael sergio marco luca giovanni paolo antonio francesco matteo andreas stefan klaus jürgen hans
wolfgang pierre jacques luc marcel olivier antoine ivan dmitri sergei boris vladimir igor nikolai pavel tomas jan
raj ravi amit arjun sanjay vijay rahul anil sunil deepak vikram rohan karan imran ahmed mohammed muhammad ali omar hassan hussein yusuf ibrahim khalid tariq
wei ming jun hiroshi kenji takeshi yuki akira satoshi kwame kofi chidi emeka tunde sipho
ross derrick darren trevor nigel cecil ernest stanley howard leonard norman clive bernard edgar edmund gilbert hugh ivor jasper
`

const eitherNames = `alex sam charlie jamie taylor morgan casey jordan riley robin jackie kim lee leslie pat chris nicky francis dana drew kerry sandy val jess kai sasha`
