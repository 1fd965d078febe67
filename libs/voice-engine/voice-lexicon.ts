/** What a description can say about a voice. Numbers are steps from an ordinary voice; about -2..2, 0 when unsaid. */
export interface VoiceTraits {
  gender?: 'female' | 'male' | 'neutral';
  age?: 'child' | 'teen' | 'young' | 'middle_aged' | 'old';
  accent?: 'american' | 'british' | 'scottish';
  /** Older (+) or younger (-) than before; what "older" says, where `age` is what "old" says. */
  aging?: number;
  /** High (+) or low (-). */
  pitch?: number;
  /** Slow (-) or fast (+). */
  pace?: number;
  /** Monotone (-) or lively (+). */
  expressiveness?: number;
  /** Small (-) or large (+) body and vocal tract. */
  size?: number;
  breath?: number;
  gravel?: number;
  /** Shakes, as with age, cold or fear. */
  tremor?: number;
  nasal?: number;
  /** Dark and warm (-) or bright and crisp (+). */
  brightness?: number;
  /** Sounds like a machine (1). */
  robotic?: number;
  /** Sounds like a telephone, an old radio and the like (1). */
  lofi?: number;
}

export type Attribute = keyof VoiceTraits;

export const ATTRIBUTES: readonly Attribute[] = [
  ...(['gender', 'age', 'accent', 'aging', 'pitch', 'pace', 'expressiveness'] as const),
  ...(['size', 'breath', 'gravel', 'tremor', 'nasal', 'brightness', 'robotic', 'lofi'] as const),
];

/** Phrases separated by `|`, and what each of them says. Hyphens are spaces, apostrophes are left out. */
type Row = readonly [phrases: string, says: VoiceTraits];

const GENDER_AND_AGE: readonly Row[] = [
  [
    'female|woman|women|lady|feminine|she|her|actress|queen|princess|witch|mother|mom|mum|aunt',
    { gender: 'female' },
  ],
  [
    'girlish|womanly|motherly|maternal|heroine|goddess|hostess|waitress|sister|wife|businesswoman|spokeswoman|womans|ladys',
    { gender: 'female' },
  ],
  [
    'male|man|men|masculine|he|his|him|guy|gentleman|dude|bloke|chap|king|prince|wizard|mans',
    { gender: 'male' },
  ],
  [
    'boyish|manly|lad|fella|lord|emperor|father|dad|uncle|brother|husband|monk|priest|knight|pirate|cowboy|businessman|anchorman',
    { gender: 'male' },
  ],
  ['androgynous|gender neutral|genderless|nonbinary|non binary', { gender: 'neutral' }],
  ['girl|little girl|schoolgirl', { gender: 'female', age: 'child' }],
  ['boy|little boy|schoolboy', { gender: 'male', age: 'child' }],
  ['grandmother|grandma|granny|old lady|old woman|crone', { gender: 'female', age: 'old' }],
  ['grandfather|grandpa|old man|old guy', { gender: 'male', age: 'old' }],
  ['teenage girl|teen girl', { gender: 'female', age: 'teen' }],
  ['teenage boy|teen boy', { gender: 'male', age: 'teen' }],
  ['young girl', { gender: 'female', age: 'child' }],
  ['young boy', { gender: 'male', age: 'child' }],
  ['child|childlike|children|kid|toddler|baby|preteen', { age: 'child' }],
  ['teen|teenage|teenager|adolescent|high school|highschooler', { age: 'teen' }],
  ['young|young adult|youthful|youngish|twenties|college age|student', { age: 'young' }],
  ['middle aged|middle age|mature|adult|thirties|forties|fifties', { age: 'middle_aged' }],
  [
    'old|elderly|aged|aging|ancient|senior|older adult|retired|wizened|sixties|seventies|eighties',
    { age: 'old' },
  ],
  ['older', { aging: 1 }],
  ['younger', { aging: -1 }],
];

const ACCENT: readonly Row[] = [
  [
    'american|us accent|usa|general american|midwestern|californian|new york|north american',
    { accent: 'american' },
  ],
  [
    'british|english accent|uk accent|london|received pronunciation|rp|bbc english|england',
    { accent: 'british' },
  ],
  ['scottish|scots|scotsman|scotland|glaswegian|highlander', { accent: 'scottish' }],
];

const PITCH_AND_PACE: readonly Row[] = [
  ['deep|bass|low pitched|low pitch|low voice|low register|low tone|low toned|deeper|lower', { pitch: -1 }],
  ['baritone|low|lower pitched|lower pitch', { pitch: -0.8 }],
  ['booming|thunderous|thundering|cavernous', { pitch: -1, size: 1, expressiveness: 0.5 }],
  ['resonant|rich|full bodied|sonorous|orotund|velvety', { pitch: -0.3, size: 0.5, brightness: -0.5 }],
  ['giant|huge|massive|ogre|troll|monster|orc|hulking|bigger|larger', { pitch: -1, size: 1.3 }],
  ['tiny|small|fairy|elf|pixie|gnome|mouse|chipmunk|smaller', { pitch: 1, size: -1.3 }],
  ['high pitched|high pitch|high voice|high register|soprano|falsetto|high toned|higher', { pitch: 1 }],
  ['high|higher pitched|higher pitch', { pitch: 0.8 }],
  ['shrill|squeaky|piercing|screechy', { pitch: 1.3, brightness: 1 }],
  ['medium pitched|medium pitch|mid range|average pitch|normal pitch', { pitch: 0 }],
  [
    'fast|quick|rapid|swift|hasty|clipped|fast paced|quick paced|rapid fire|speedy|brisk|snappy|faster|quicker',
    { pace: 1 },
  ],
  ['hurried|rushed|frantic|auctioneer|racing', { pace: 1.5, expressiveness: 0.5 }],
  [
    'slow|slowly|sluggish|lethargic|ponderous|lingering|methodical|slow paced|slower|drawn out|unhurried|drawl|drawling|deliberate|measured',
    { pace: -1 },
  ],
  ['leisurely|relaxed|laid back|languid|pausing|pauses', { pace: -0.7, expressiveness: -0.3 }],
  [
    'conversational|steady|even paced|natural|neutral tone|normal pace|natural pace|moderate pace|steady pace|normal speed',
    { pace: 0 },
  ],
];

const MANNER: readonly Row[] = [
  [
    'expressive|animated|lively|theatrical|dramatic|emotional|emotive|passionate|livelier',
    { expressiveness: 1 },
  ],
  [
    'energetic|excited|enthusiastic|exuberant|high energy|upbeat|bubbly|manic',
    { expressiveness: 1.3, pace: 0.6 },
  ],
  ['cheerful|happy|joyful|playful|perky|friendly|cheery', { expressiveness: 0.7, brightness: 0.4 }],
  [
    'monotone|monotonous|flat|deadpan|emotionless|expressionless|stoic|bored|lifeless',
    { expressiveness: -1.5 },
  ],
  [
    'calm|soothing|serene|peaceful|meditative|tranquil|gentle|calming|calmer|gentler',
    { expressiveness: -0.6, pace: -0.5 },
  ],
  [
    'serious|solemn|grave|stern|formal|low energy|tired|sleepy|weary|sad|somber',
    { expressiveness: -0.8, pace: -0.4 },
  ],
  ['authoritative|commanding|confident|powerful|strong|assertive|bold', { pitch: -0.4, size: 0.3 }],
  ['sinister|menacing|evil|villain|villainous|ominous|creepy', { pitch: -0.6, pace: -0.5, brightness: -0.5 }],
];

const TIMBRE: readonly Row[] = [
  ['breathy|airy|breathiness|breathier|husky|sultry', { breath: 1 }],
  ['whisper|whispers|whispery|whispering|whispered|asmr', { breath: 2.5, expressiveness: -0.5 }],
  ['soft|soft spoken|softly spoken|softer|delicate|quiet|hushed|tender', { breath: 0.5, brightness: -0.5 }],
  ['gravelly|gravel|raspy|rasp|rough|hoarse|gruff|growling|growly|grizzled|scratchy|croaky', { gravel: 1 }],
  ['throaty|guttural|raspier|rougher|gravellier|husky and rough|smoky|weathered', { gravel: 0.8 }],
  ['smooth|silky|smoother|polished', { gravel: -1, brightness: -0.3 }],
  [
    'coarse|grating|ragged|raw|rusty|sandpaper|cracked|creaky|vocal fry|strained|gritty|whiskey soaked',
    { gravel: 0.9 },
  ],
  [
    'mellifluous|dulcet|lush|creamy|suave|melodic|melodious|lilting|musical',
    { gravel: -0.5, expressiveness: 0.5 },
  ],
  ['reedy|piping|chirpy|wispy|feathery|childish', { pitch: 0.6, size: -0.5 }],
  ['full|hollow|rumbling|chesty|bassy|husky baritone', { pitch: -0.5, size: 0.5 }],
  ['nasal|nasally|whiny|twangy|nasality|pinched|stuffy|congested', { nasal: 1 }],
  ['warm|mellow|warmth|warmer|cozy|honeyed|buttery', { brightness: -0.8 }],
  ['dark|muffled|dull|darker|muted', { brightness: -1.3 }],
  ['bright|crisp|sharp|sparkling|brighter|crisper|sharper', { brightness: 0.9 }],
  ['clear|clearer|articulate|light|lighter', { brightness: 0.4 }],
  ['tinny|metallic|thin|harsh', { brightness: 1.3, size: -0.4 }],
];

/** What the facets of public voice libraries say beyond that: emotions, tones and what a voice is used for. */
const EMOTION: readonly Row[] = [
  [
    'anxious|nervous|worried|jittery|panicked|panicky|scared|fearful|frightened|terrified|timid|shy|hesitant',
    { pace: 0.5, pitch: 0.3, tremor: 0.6, expressiveness: 0.4 },
  ],
  [
    'angry|furious|aggressive|fierce|enraged|shouting|yelling|intense|urgent|rude|annoyed|irritated',
    { expressiveness: 1, pace: 0.4, brightness: 0.5, gravel: 0.3 },
  ],
  [
    'melancholic|melancholy|mournful|sorrowful|gloomy|depressed|grieving|wistful|heartbroken|tearful|crying',
    { expressiveness: -0.7, pace: -0.6, pitch: -0.2 },
  ],
  [
    'sarcastic|sardonic|ironic|cynical|wry|dry|jaded|haughty|arrogant|smug',
    { expressiveness: -0.6, pace: -0.2 },
  ],
  [
    'hyped|pumped|electrifying|vibrant|spirited|vivacious|giddy|ecstatic|thrilled|dynamic|peppy|hyper',
    { expressiveness: 1.3, pace: 0.6 },
  ],
  ['casual|chill|easygoing|nonchalant|informal|approachable', { expressiveness: -0.2, pace: -0.2 }],
  [
    'professional|corporate|businesslike|polite|educated|refined|sophisticated|posh|classy',
    { brightness: 0.3 },
  ],
  ['romantic|seductive|sensual|sexy|flirty|flirtatious|intimate', { breath: 0.7, pace: -0.5, pitch: -0.2 }],
  [
    'pleasant|kind|caring|compassionate|empathetic|reassuring|comforting|nurturing|sweet|inviting|welcoming',
    { brightness: -0.3, pace: -0.3 },
  ],
  ['wise|sage|thoughtful|contemplative|reflective|philosophical|patient', { pace: -0.6, pitch: -0.2 }],
  [
    'mysterious|mystical|enigmatic|ethereal|haunting|eerie|spooky|ghostly|otherworldly|dreamy',
    { breath: 0.6, pace: -0.5, expressiveness: -0.2 },
  ],
  [
    'curious|quirky|whimsical|mischievous|sassy|cheeky|silly|goofy|funny|comedic|eccentric|charming',
    { expressiveness: 0.8, pitch: 0.3 },
  ],
  ['majestic|regal|noble|epic|heroic|grand|dignified', { pitch: -0.4, pace: -0.4, size: 0.4 }],
  ['drunk|slurred|mumbling|mumbled|lazy', { pace: -0.7, brightness: -0.6 }],
  ['trembling|shaky|shaking|quavering|quivering|wavering|wobbly|tremulous|shivering', { tremor: 1 }],
  ['unsteady|faltering|vibrato|warbling', { tremor: 0.8 }],
  ['frail|feeble|fragile|weak', { tremor: 0.7, breath: 0.4, pace: -0.3 }],
];

const USE: readonly Row[] = [
  [
    'news anchor|newscaster|newsreader|news|announcer|broadcaster|broadcast|presenter',
    { brightness: 0.4, pitch: -0.2 },
  ],
  ['commercial|advertisement|advert|promo|trailer|salesman|sales', { expressiveness: 0.8, pace: 0.3 }],
  ['meditation|bedtime|lullaby|hypnosis|therapist', { expressiveness: -0.6, pace: -0.6 }],
  ['sports commentator|commentator|auction|game show|gaming', { expressiveness: 1, pace: 0.7 }],
  [
    'tutorial|educational|elearning|e learning|instructional|explainer|training',
    { pace: -0.3, brightness: 0.3 },
  ],
];

const CHARACTER: readonly Row[] = [
  ['robot|robotic|android|cyborg|synthetic|machine|mechanical|computer|droid|computerized', { robotic: 1 }],
  ['radio|old radio|old time radio|vintage radio|am radio|walkie talkie|two way radio', { lofi: 1 }],
  ['telephone|phone|phone call|over the phone|old telephone|old phone|voicemail|intercom', { lofi: 1 }],
  ['megaphone|loudspeaker|gramophone|phonograph|vintage recording|old recording', { lofi: 1 }],
  ['lo fi|lofi|low fi|low fidelity|low quality|poor quality|crackly|staticky|old timey', { lofi: 1 }],
  ['newsreel|old film|old movie|1920s|1930s|1940s|1950s', { lofi: 1 }],
];

/** Phrases that hold a word of the tables above but say nothing about the voice; matched so that the word is not. */
const SAYS_NOTHING: readonly Row[] = [
  ['high quality|high fidelity|hi fi|perfect audio|studio quality|good quality|excellent quality', {}],
  ['radio host|radio announcer|radio presenter|radio dj|radio narrator|radio show|radio ad', {}],
  ['old friend|old fashioned|old school|old english|old world|old west|age old|new and old', {}],
  ['small talk|high end|high class|low key|sharp wit|dark humor|dark humour|short|long|no nonsense', {}],
  ['strong accent|heavy accent|soft accent|light accent|clear accent|old soul|young at heart', {}],
];

export const LEXICON: readonly Row[] = [
  ...GENDER_AND_AGE,
  ...ACCENT,
  ...PITCH_AND_PACE,
  ...MANNER,
  ...TIMBRE,
  ...EMOTION,
  ...USE,
  ...CHARACTER,
  ...SAYS_NOTHING,
];

/** What a voice is for, which says less than what it is like: every other word about the same goes before it. */
export const USES: ReadonlySet<string> = new Set(USE.flatMap(([phrases]) => phrases.split('|')));

/** Accents that people request and no embedded voice has. They are reported, never imitated. */
export const UNAVAILABLE_ACCENTS = words(`
  australian aussie african arabic asian austrian boston brazilian canadian caribbean chinese cockney czech danish
  dutch egyptian filipino finnish french german greek hungarian indian indonesian iranian irish israeli italian
  jamaican japanese kenyan korean latin mexican nigerian nordic norwegian persian polish portuguese romanian russian
  scandinavian singaporean southern spanish swedish swiss texan thai turkish ukrainian vietnamese welsh zealand
  european scouse geordie yorkshire transatlantic mandarin cantonese hindi colombian argentinian cuban pakistani`);

/** Words that make the next trait stronger or weaker. */
export const INTENSIFIERS: ReadonlyMap<string, number> = new Map([
  ...factor(1.5, 'very extremely really super incredibly quite highly exceptionally ultra deeply'),
  ...factor(1.8, 'much far considerably significantly way lot lots'),
  ...factor(0.5, 'slightly somewhat bit little mildly touch subtly subtle slight hint tad faintly lightly'),
  ...factor(0.8, 'fairly rather moderately'),
]);

/** Words that negate what follows, up to the next comma or verb-less break. */
export const NEGATIONS = words(
  'not no without never non isnt doesnt dont wont neither lacking minus nor hardly avoid',
);

/** "More" leaves a trait's direction alone; "less" turns it around. */
export const DIRECTIONS: ReadonlyMap<string, number> = new Map([
  ['more', 1],
  ['less', -1],
]);

/** Words without meaning for a voice, which are therefore not reported as not understood. */
export const STOP_WORDS = words(`
  a an the and or but with of for to in on at by from as is are was be being been it its this that these those who
  which whose what when where while if then than so such like sounds sound sounding speaks speak speaking spoken
  speaker talks talk talking voice voices voiced vocal tone toned accent accented pitch pitched pace paced quality
  audio recording style person someone has have having had make makes made give gives given keep kept same please
  would should could can will may might must i you we they my your our their me us them very really quite too also
  just about around into over under more less most least some any all each every other one two three much far lot
  lots bit little slightly somewhat way add adding use using want need needs perfect ideal suitable great good nice
  delivery delivers delivered manner sense feel feels feeling presence character speech words word like
  age year years early mid late s t her his up down out only even still not no without never`);

function factor(value: number, list: string): [string, number][] {
  return [...words(list)].map((word) => [word, value]);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
