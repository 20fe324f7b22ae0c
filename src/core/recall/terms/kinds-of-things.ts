/**
 * Kinds of everyday things, and things of that kind: a question has `instrument`, the answer `cello`. Only a kind in a query brings its things along, as
 * who asks for a cello does not mean a flute. Of things with several meanings, only those are listed that mostly mean this one.
 */
const KINDS: Readonly<Record<string, string>> = {
  vegetable:
    "aubergine eggplant carrot potato tomato onion garlic spinach kale broccoli cabbage cauliflower courgette zucchini pumpkin squash leek celery beetroot beet turnip swede parsnip lettuce cucumber asparagus radish sprouts fennel artichoke peas beans mushroom",
  fruit:
    "apple banana orange lemon lime grape strawberry raspberry blueberry blackberry cherry peach pear plum mango pineapple melon watermelon kiwi apricot fig papaya pomegranate rhubarb avocado",
  food: "pasta pizza rice soup stew curry salad sandwich burger steak sushi noodles taco casserole lasagna lasagne roast chicken fish dumplings pancake omelette",
  dessert:
    "cake pie tart cookie biscuit brownie pudding cheesecake tiramisu meringue doughnut donut muffin trifle gelato sorbet",
  drink:
    "coffee tea wine beer whisky whiskey gin vodka rum cider cocktail juice lemonade espresso latte cappuccino matcha soda kombucha",
  meat: "beef pork lamb chicken turkey bacon ham sausage steak veal venison duck",
  nut: "walnut almond hazelnut peanut cashew pecan pistachio macadamia",
  spice: "pepper cinnamon cumin ginger turmeric paprika nutmeg cardamom saffron clove chilli chili",
  animal:
    "dog cat horse pony rabbit hamster parrot bird goldfish turtle tortoise lizard snake cow pig sheep goat chicken hen duck goose donkey fox deer bear wolf lion tiger elephant monkey whale dolphin shark seal otter squirrel mouse rat hedgehog owl eagle",
  pet: "dog puppy cat kitten rabbit bunny hamster parrot budgie goldfish turtle tortoise gecko lizard ferret pony",
  bird: "parrot crow raven robin sparrow owl eagle hawk falcon pigeon dove swan duck goose heron gull penguin kingfisher magpie swift swallow wren",
  insect:
    "bee wasp ant spider fly mosquito beetle butterfly moth cockroach hornet ladybird ladybug cricket grasshopper",
  fish: "salmon tuna cod trout haddock mackerel sardine herring carp eel goldfish",
  breed:
    "labrador retriever poodle terrier spaniel beagle collie shepherd dachshund bulldog husky corgi chihuahua greyhound lurcher whippet mongrel mutt siamese persian tabby",
  flower:
    "rose tulip daisy lily orchid sunflower daffodil lavender peony dahlia jasmine violet marigold poppy hydrangea snowdrop",
  tree: "oak birch maple pine willow elm beech cedar cypress olive chestnut magnolia",
  plant: "fern cactus monstera succulent basil mint rosemary thyme tomato ivy bonsai seedling shrub hedge",
  instrument:
    "piano guitar violin viola cello flute clarinet saxophone sax trumpet trombone tuba drum drums harp accordion banjo ukulele mandolin oboe bassoon organ keyboard recorder harmonica bagpipes fiddle",
  sport:
    "football soccer tennis basketball baseball volleyball hockey rugby cricket golf swimming running cycling climbing skiing snowboarding surfing boxing judo karate badminton rowing sailing gymnastics wrestling skating fencing archery squash pilates yoga marathon triathlon",
  exercise: "running jogging swimming yoga pilates cycling weights squats treadmill spinning aerobics zumba crossfit",
  game: "chess poker scrabble monopoly checkers backgammon bridge catan dominoes bingo darts snooker xbox playstation nintendo minecraft zelda",
  hobby:
    "painting drawing knitting crochet sewing pottery ceramics gardening photography fishing hiking climbing reading cooking baking chess birdwatching woodworking carpentry embroidery calligraphy origami dancing singing sailing surfing yoga gaming blogging",
  art: "painting drawing sculpture pottery ceramics watercolour watercolor sketch mural mosaic collage portrait",
  dance: "ballet tango salsa waltz tap flamenco swing bachata foxtrot rumba",
  genre:
    "jazz rock pop classical blues folk metal punk techno reggae country fantasy thriller mystery horror romance comedy drama documentary",
  music: "jazz rock classical blues folk punk techno reggae opera symphony album playlist concert",
  composer:
    "bach mozart beethoven chopin brahms schubert vivaldi handel haydn dvorak tchaikovsky debussy mahler verdi wagner liszt",
  vehicle: "car van truck lorry motorbike motorcycle scooter bike bicycle tractor bus camper jeep pickup minivan suv",
  transport: "bus train tram metro subway underground ferry taxi bike bicycle plane car",
  vessel: "boat ship yacht canoe kayak ferry dinghy barge narrowboat rowboat sailboat",
  car: "toyota honda ford volkswagen vw bmw audi mercedes volvo tesla subaru nissan mazda hyundai kia fiat renault peugeot skoda jeep chevrolet prius",
  joint: "knee ankle hip shoulder elbow wrist knuckle",
  limb: "arm leg hand foot",
  organ: "heart liver kidney lung stomach brain pancreas bladder",
  body: "knee ankle hip shoulder elbow wrist back neck head hand foot leg arm heart lung",
  injury:
    "broke broken sprain sprained fracture fractured twisted torn tore bruise bruised concussion stitches burn burned strained bursitis tendon",
  illness:
    "flu cold cough fever asthma diabetes cancer migraine arthritis pneumonia bronchitis covid infection anaemia anemia eczema shingles measles",
  condition:
    "asthma diabetes arthritis migraine anxiety depression adhd eczema epilepsy insomnia allergy celiac coeliac",
  allergy:
    "peanut peanuts nuts walnut shellfish shrimp gluten wheat lactose dairy pollen cats latex penicillin soy sesame eggs hives",
  medicine:
    "ibuprofen paracetamol aspirin antibiotic antibiotics penicillin insulin inhaler steroid antihistamine tablets pills statin",
  drug: "ibuprofen paracetamol aspirin antibiotic penicillin insulin morphine steroid statin amitriptyline",
  doctor:
    "surgeon dentist cardiologist dermatologist gp psychiatrist neurologist paediatrician pediatrician therapist physio physiotherapist vet optician",
  therapist: "counsellor counselor psychologist psychiatrist physio",
  relative:
    "mother father mum mom dad sister brother son daughter aunt uncle cousin niece nephew grandmother grandfather grandma grandpa granddad gran nan husband wife stepson stepdaughter",
  family:
    "mother father mum mom dad sister brother son daughter aunt uncle cousin niece nephew grandmother grandfather grandma grandpa husband wife kids",
  sibling: "sister brother twin stepsister stepbrother",
  child: "son daughter baby toddler boy girl kid teenager",
  grandchild: "grandson granddaughter",
  grandparent: "grandmother grandfather grandma grandpa granny gran nan granddad",
  parent: "mother father mum mom dad mummy daddy",
  partner: "husband wife boyfriend girlfriend fiance fiancee spouse",
  relationship:
    "single married divorced engaged dating boyfriend girlfriend husband wife separated widowed breakup partner",
  status: "single married divorced engaged dating separated widowed",
  profession:
    "teacher nurse doctor lawyer engineer chef cook baker carpenter plumber electrician accountant architect designer developer programmer writer journalist musician painter photographer driver pilot farmer librarian pharmacist therapist counselor counsellor manager consultant scientist researcher professor lecturer mechanic barista waiter waitress hairdresser paramedic firefighter policeman officer soldier translator editor analyst clerk cashier gardener florist tailor welder",
  job: "teacher nurse doctor lawyer engineer chef baker carpenter plumber electrician accountant architect designer developer programmer journalist librarian pharmacist manager consultant receptionist barista waiter waitress mechanic intern hired employed",
  subject:
    "maths math mathematics physics chemistry biology history geography literature economics philosophy psychology sociology law medicine engineering anatomy",
  degree: "bachelor bachelors master masters phd doctorate diploma mba graduated",
  language:
    "english spanish french german italian portuguese dutch russian polish swedish norwegian danish finnish greek turkish arabic hebrew hindi chinese mandarin cantonese japanese korean irish welsh gaelic latin ukrainian czech hungarian vietnamese thai swahili",
  nationality:
    "english british american spanish french german italian portuguese dutch russian polish swedish norwegian danish finnish greek turkish indian chinese japanese korean irish welsh scottish ukrainian czech hungarian brazilian mexican canadian australian nigerian ghanaian kenyan egyptian",
  country:
    "england britain scotland wales ireland america usa canada mexico brazil argentina chile peru colombia spain portugal france germany italy austria switzerland netherlands belgium denmark sweden norway finland iceland poland russia ukraine greece turkey egypt morocco kenya nigeria ghana india china japan korea thailand vietnam indonesia philippines australia",
  continent: "europe asia africa america australia antarctica",
  religion:
    "christian catholic protestant muslim islam jewish judaism hindu buddhist church mosque synagogue temple atheist",
  holiday: "christmas easter thanksgiving halloween hanukkah diwali ramadan eid passover",
  season: "spring summer autumn winter",
  weekday: "monday tuesday wednesday thursday friday saturday sunday",
  month: "january february march april june july august september october november december",
  weather: "rain rained snow snowed storm sunny windy fog foggy hail thunder lightning heatwave frost cloudy",
  colour: "red green blue yellow orange purple pink black white grey gray brown turquoise beige navy teal crimson",
  color: "red green blue yellow orange purple pink black white grey gray brown turquoise beige navy teal crimson",
  material:
    "wood wooden metal steel iron glass plastic cotton wool silk leather stone clay brick concrete linen ceramic bamboo",
  clothes:
    "dress skirt shirt blouse trousers jeans jacket coat sweater jumper cardigan socks shoes boots sneakers hat scarf gloves suit tie",
  jewellery: "ring necklace bracelet earrings brooch pendant watch locket",
  jewelry: "ring necklace bracelet earrings brooch pendant watch locket",
  furniture: "sofa couch table chair desk bed wardrobe shelf bookshelf bookcase cabinet armchair dresser stool lamp",
  room: "kitchen bathroom bedroom attic basement cellar garage study office nursery lounge pantry loft",
  appliance: "fridge oven stove microwave dishwasher washer dryer kettle toaster blender vacuum boiler freezer",
  device: "laptop phone iphone ipad tablet computer macbook camera headphones printer kindle",
  tool: "hammer drill saw screwdriver wrench pliers chisel ladder spade shovel rake",
  toy: "doll lego teddy puzzle kite blocks",
  building: "house church school hospital tower castle barn hut shed cottage cabin palace museum library",
  shape: "round square oval triangle triangular rectangle circle star heart",
  emotion:
    "happy sad angry afraid scared proud nervous anxious jealous lonely excited worried relieved grateful ashamed",
  award: "medal trophy prize certificate scholarship ribbon won",
  subscription: "netflix spotify magazine newspaper gym membership monthly",
  pastime: "painting knitting gardening fishing reading chess photography",
  ceremony: "wedding funeral graduation baptism christening",
  gemstone: "diamond ruby emerald sapphire opal amethyst pearl",
  beverage: "coffee tea wine beer whisky whiskey cider juice espresso latte cappuccino matcha soda",
  accommodation: "hotel hostel apartment flat cabin cottage airbnb campsite tent guesthouse villa",
  crime: "stolen theft burglary robbed robbery broke mugged fraud vandalism",
  currency: "euro euros dollar dollars pound pounds yen franc francs rupee rupees",
  diet: "vegetarian vegan gluten lactose halal kosher pescatarian keto",
  volunteering: "volunteer volunteered shelter charity foodbank",
};

const members: ReadonlyMap<string, readonly string[]> = /* @__PURE__ */ readKinds();

function readKinds(): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(KINDS).map(([kind, things]) => [kind, things.split(" ")]));
}

/** The things of a kind that a lower-case English word names, in its singular or plural; none for most words. */
export function thingsOfKind(word: string): readonly string[] {
  return members.get(word) ?? members.get(singularOf(word)) ?? NONE;
}

function singularOf(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word === "children") return "child";
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

const NONE: readonly string[] = [];
