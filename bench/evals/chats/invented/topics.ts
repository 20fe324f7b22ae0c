/**
 * Words of invented talks. `{x}` is filled from the lists below, `NAME` is who tells it. A question asks in other words than those of what was
 * said, as far as people do: `When did NAME's sister visit?` for `my sister was here last weekend`.
 */
export interface FactTemplate {
  /** What the other one asks right before, where what is said is only half of it. */
  readonly prompt?: string;
  readonly said: string;
  readonly asked: string;
  /** Said some sessions later: what was said first no longer holds. */
  readonly changed?: string;
}

export interface Topic {
  /** What is said about it and tells nothing. */
  readonly chatter: readonly string[];
  /** What an assistant says about it at length. */
  readonly advice: readonly string[];
  readonly facts: readonly FactTemplate[];
}

export const LISTS: Readonly<Record<string, readonly string[]>> = {
  kin: ["sister", "brother", "grandmother", "cousin", "uncle", "aunt", "nephew", "father-in-law"],
  place: ["Lisbon", "Kraków", "the Lake District", "Osaka", "Bergen", "Valencia", "Tallinn", "Montreal", "Zadar"],
  craft: ["pottery", "woodcarving", "watercolours", "weaving", "calligraphy", "bookbinding"],
  sport: ["climbing", "rowing", "badminton", "fencing", "cross-country skiing", "judo"],
  instrument: ["cello", "accordion", "clarinet", "ukulele", "harmonica", "banjo"],
  breed: ["greyhound", "beagle", "tabby", "spaniel", "parakeet", "whippet"],
  pet: ["Biscuit", "Olive", "Captain", "Nutmeg", "Pixel", "Waffles"],
  dish: ["mushroom risotto", "lentil dal", "shakshuka", "ramen", "pierogi", "paella"],
  food: ["walnuts", "shellfish", "coriander", "goat cheese", "peanuts", "raw onions"],
  work: ["library", "bakery", "clinic", "observatory", "theatre", "harbour office", "botanical garden"],
  number: ["three", "four", "seven", "nine", "eleven", "fourteen"],
  money: ["$45", "$120", "$310", "$75", "$980", "$260"],
  book: ["The Salt Path", "Piranesi", "The Overstory", "Klara and the Sun", "Circe", "Stoner"],
  day: ["the 3rd", "the 12th", "the 19th", "the 21st", "the 27th", "the 30th"],
  colour: ["teal", "mustard yellow", "dark green", "brick red", "lavender", "charcoal"],
  plant: ["rosemary", "tomatoes", "dahlias", "a fig tree", "strawberries", "lemongrass"],
};

export const TOPICS: readonly Topic[] = [
  {
    chatter: [
      "Family is everything, even when they drive me up the wall.",
      "We all talked on the phone for an hour, mostly about nothing.",
      "My relatives always ask when I will visit again.",
      "Everyone in the family seems to be busy these days.",
    ],
    advice: [
      "Plan a visit with the family early, and leave one day free for everyone to rest.",
      "Relatives who live far away are glad about a short call every week.",
      "Write down what each of your relatives told you, so that you can ask about it later.",
    ],
    facts: [
      {
        said: "My {kin} stayed with us last weekend and we cooked all day.",
        asked: "When did NAME's {kin} come to visit?",
      },
      {
        prompt: "Where is your {kin} living these days?",
        said: "In {place}, ever since the wedding.",
        asked: "In which city does NAME's {kin} live?",
        changed: "News: the {kin} I told you about has moved, it is {place} now.",
      },
      {
        said: "I gave my {kin} an old camera on the anniversary, there were tears.",
        asked: "What present did NAME's {kin} get?",
      },
      {
        said: "Our little one took her first steps while my {kin} was filming!",
        asked: "Who recorded the first steps?",
      },
    ],
  },
  {
    chatter: [
      "Work has been a lot, one meeting after the other.",
      "The office was quiet, so I got a few things done.",
      "My boss is fine, the deadlines are not.",
      "I need a holiday from all this work.",
    ],
    advice: [
      "In a new job, write down names, ask questions, and rest on the first weekend.",
      "Before an interview, prepare three stories about your work that show what you did.",
      "If meetings take the whole day at the office, block two mornings for work that needs quiet.",
    ],
    facts: [
      {
        said: "Guess what, they took me: I start at the {work} on Monday!",
        asked: "Where does NAME have a new job?",
        changed: "I handed in my notice, from next month I am with the {work} instead.",
      },
      {
        prompt: "How did the interview go?",
        said: "Awful, I mixed up the trains and came {number} minutes late.",
        asked: "Why did NAME's job interview go wrong?",
      },
      {
        said: "I have been promoted, my team has {number} people now.",
        asked: "How many people does NAME lead at work?",
      },
      {
        said: "A colleague at the {work} showed me how the old catalogue is kept, fascinating.",
        asked: "What did a co-worker explain to NAME?",
      },
    ],
  },
  {
    chatter: [
      "I would love to see more of the world.",
      "Packing is the worst part of any trip.",
      "The trains were late again, of course.",
      "We should travel somewhere together one day.",
    ],
    advice: [
      "For a trip in spring, flights are cheaper on Tuesdays and museums are empty.",
      "Pack light, and keep copies of your tickets and your passport somewhere else.",
      "Book the first two nights of a journey, and leave the rest open.",
    ],
    facts: [
      {
        said: "We booked the flights, {place} it is, {number} nights!",
        asked: "Where is NAME going on holiday, and for how long?",
        changed: "Change of plans, the airline cancelled, so we go to {place} instead.",
      },
      {
        said: "Honestly {place} was a let-down, it poured and somebody stole my wallet.",
        asked: "What happened to NAME in {place}?",
      },
      {
        said: "The hotel near the harbour was {money} a night, never again.",
        asked: "How much did NAME pay for the hotel?",
      },
      {
        said: "I hiked up to the lighthouse with my {kin} and we saw dolphins.",
        asked: "Which animals did NAME see on the walk to the lighthouse?",
      },
    ],
  },
  {
    chatter: [
      "It is good to do something with my hands.",
      "I never find enough time for my hobbies.",
      "Practice makes perfect, they say.",
      "I spent the evening on my hobby and forgot the time.",
    ],
    advice: [
      "When you begin a new hobby, practise a little every day rather than long on Sundays.",
      "A class costs money, but the others in it keep you going.",
      "Keep what you make in the first month: it shows how far you have come with your practice.",
    ],
    facts: [
      {
        said: "I signed up for a {craft} class, {money} for the whole term.",
        asked: "What does NAME pay for the {craft} course?",
      },
      {
        prompt: "Who got you into {craft}?",
        said: "That was my {kin}, many years ago.",
        asked: "Who introduced NAME to {craft}?",
      },
      {
        said: "I finally bought my own {instrument}, second-hand but lovely.",
        asked: "Which instrument does NAME play?",
      },
      {
        said: "At the {craft} fair my bowl won a ribbon, second place!",
        asked: "What did NAME win, and where?",
      },
    ],
  },
  {
    chatter: [
      "I really should exercise more.",
      "My legs hurt from the training.",
      "Fresh air helps against everything.",
      "The gym was packed again.",
    ],
    advice: [
      "Begin training with ten minutes, and add no more than a tenth each week.",
      "Sleep matters as much as exercise: go to bed at the same time.",
      "If something hurts after the training, rest for two days before you see a doctor.",
    ],
    facts: [
      {
        said: "I run {number} kilometres every morning before breakfast now.",
        asked: "How far does NAME jog each day?",
        changed: "The knee complains, so I cut my morning run down to {number} kilometres.",
      },
      { said: "The doctor said it is a torn ligament, no {sport} until autumn.", asked: "What injury did NAME have?" },
      {
        said: "I joined a {sport} club, they meet on Thursdays.",
        asked: "On which day does NAME's {sport} club meet?",
      },
      { said: "My first {sport} tournament is on {day}, wish me luck.", asked: "When is NAME's {sport} competition?" },
    ],
  },
  {
    chatter: [
      "I love a good dinner with friends.",
      "Cooking calms me down.",
      "The kitchen still looks like a battlefield.",
      "We ate far too much, it was great.",
    ],
    advice: [
      "For a dinner with many guests, cook one thing that can wait and one that cannot.",
      "Taste before you add salt, and write the recipe down while you still remember it.",
      "In a small kitchen, wash up while the oven works.",
    ],
    facts: [
      { said: "I cannot eat {food}, my face swells up like a balloon.", asked: "What is NAME allergic to?" },
      {
        said: "My favourite is {dish}, I could have it every day.",
        asked: "Which meal does NAME like best?",
        changed: "I went off my old favourite, these days I only want {dish}.",
      },
      { said: "I burnt the {dish} last night and set off the alarm.", asked: "What went wrong when NAME was cooking?" },
      { said: "For the party we need food for {number} guests.", asked: "How many people did NAME invite?" },
    ],
  },
  {
    chatter: [
      "Animals make any home better.",
      "Mine slept on my feet the whole night.",
      "The vet is expensive, but what can you do.",
      "Long walks, every single day.",
    ],
    advice: [
      "A young animal needs short walks, many of them, and the same bed each night.",
      "Ask the vet for a plan of vaccinations, and keep the papers with your passport.",
      "Before you adopt, visit the shelter twice, at different times of the day.",
    ],
    facts: [
      { said: "We adopted a {breed}, we call it {pet}!", asked: "What is the name of NAME's pet?" },
      { said: "{pet} swallowed a sock, the operation was {money}.", asked: "What did the vet cost NAME?" },
      {
        said: "We found {pet} at the shelter on {day}, it was love at first sight.",
        asked: "When did NAME adopt {pet}?",
      },
    ],
  },
  {
    chatter: [
      "I have a pile of things to read.",
      "Nothing beats a quiet evening with a story.",
      "The film was fine, the company was better.",
      "I fell asleep in the middle of it.",
    ],
    advice: [
      "If you want to read more, leave the telephone in another room and begin with ten pages.",
      "A reading group works best with six people and no homework.",
      "Films of books you love are best seen a year after the book.",
    ],
    facts: [
      {
        said: "I just finished {book} and I am still thinking about the end.",
        asked: "Which book did NAME read recently?",
      },
      { said: "Our reading circle picked {book} for next month.", asked: "What will NAME's book club discuss?" },
      { said: "A friend recommended {book}, she cried at the end.", asked: "Which title was suggested to NAME?" },
    ],
  },
  {
    chatter: [
      "The flat is never tidy for more than a day.",
      "I want to change something at home.",
      "Neighbours can be a blessing or a curse.",
      "The garden does what it wants.",
    ],
    advice: [
      "Paint a small wall first: colours look different at home than in the shop.",
      "In a garden, plant what your neighbours have: it grows where you live.",
      "Measure the flat before you buy furniture, also the stairs.",
    ],
    facts: [
      {
        said: "We painted the bedroom {colour}, I am in love with it.",
        asked: "Which colour are NAME's bedroom walls?",
        changed: "We repainted the bedroom again, {colour} this time.",
      },
      { said: "I planted {plant} on the balcony this morning.", asked: "What is NAME growing at home?" },
      { said: "The landlord wants {money} more each month from {day} on.", asked: "How much did NAME's rent go up?" },
      { said: "We move house on {day}, there are boxes everywhere.", asked: "When does NAME move to the new place?" },
    ],
  },
];

export const OPENERS = [
  "Hey NAME, long time no see! How have you been?",
  "Hi NAME! What have you been up to?",
  "Hello there, how was your week?",
  "Good to hear from you, NAME! Anything new?",
];

export const REACTIONS = [
  "That is wonderful, congratulations! How did it feel?",
  "Oh wow, I did not expect that. Tell me more!",
  "I know that feeling. Hang in there, it gets better.",
  "Ha, that is so you. And what did the others say?",
  "Sounds great, you deserve it after such a week.",
  "Thanks for telling me, that means a lot.",
];
