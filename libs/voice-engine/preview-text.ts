import { normalized } from '@app/domain/common/canonical-text';

/** A source of randomness: each call returns a number in [0, 1). */
export type Random = () => number;

interface Scene {
  /** Words in the description that call for this scene. */
  cues: RegExp;
  sentences: readonly string[];
}

const MIN_CHARS = 160;
const MAX_CHARS = 420;

const SCENES: readonly Scene[] = [
  {
    cues: /radio|\bdj\b|podcast|broadcast|announcer|news|anchor|host/,
    sentences: [
      'Good morning, and thank you for tuning in on this rather cloudy Thursday.',
      'In a few minutes we will talk to the woman who rebuilt the old lighthouse by hand.',
      'But first, a quick look at the roads: all clear, apart from the bridge by the harbour.',
      'Stay with us, because the best story of the week is still to come.',
      'Our lines are open, so call in and tell us what you would have done.',
      'That was the sound of summer, and there is plenty more where it came from.',
    ],
  },
  {
    cues: /teach|professor|lectur|tutor|explain|educat|instructor|scien/,
    sentences: [
      'Let us begin with a simple question: why does the sky turn red in the evening?',
      'Take a moment to write down your guess before we look at the answer together.',
      'Light has a longer way to travel when the sun is low, and blue gets lost on that way.',
      'Do you see how each step follows from the one before it?',
      'If this is new to you, do not worry, because we will practise it twice more.',
      'By the end of the lesson you will be able to explain it to a friend.',
    ],
  },
  {
    cues: /villain|monster|evil|sinister|demon|witch|wizard|dragon|pirate|king|queen|knight|warrior|orc|fantasy/,
    sentences: [
      'You have come a long way to stand before this gate, traveller.',
      'Many have asked for the key, and none of them thought to ask its price.',
      'Listen to the wind in the tower, and you may hear their names.',
      'I was here before the first stone was laid, and I shall be here after the last one falls.',
      'Choose now: the road through the forest, or the stair beneath the mountain.',
      'Whatever you decide, remember that a promise made here is never forgotten.',
    ],
  },
  {
    cues: /calm|sooth|medit|relax|sleep|gentle|asmr|whisper|peace|yoga/,
    sentences: [
      'Find a place where you can sit for a while, and let your shoulders drop.',
      'Breathe in slowly, as if you were smelling rain on warm ground.',
      'Nothing has to be finished tonight, and nobody is waiting for an answer.',
      'Notice the small sounds around you, and let each of them pass.',
      'With every breath the day moves a little further away.',
      'When you are ready, open your eyes and come back to the room.',
    ],
  },
  {
    cues: /energ|excit|sport|commercial|advert|promo|hype|enthus|upbeat|salesman/,
    sentences: [
      'Are you ready? Because this is the moment everyone has been waiting for!',
      'Ten riders, one finish line, and not a single second left to lose.',
      'Look at that turn, she has gained three metres and the crowd is on its feet!',
      'Tell your friends, bring the whole family, and do not be late on Saturday.',
      'I have seen a lot of close races, but never one quite like this.',
      'Come on, one more lap, and give it everything you have!',
    ],
  },
  {
    cues: /robot|android|assistant|machine|computer|customer|support|system/,
    sentences: [
      'Hello, and welcome back. All systems are ready for your instructions.',
      'You have four new messages, and one of them is marked as important.',
      'I have moved your meeting to half past nine and told the others.',
      'The temperature in the greenhouse has fallen by two degrees since midnight.',
      'Would you like me to repeat the last step, or shall we go on?',
      'Please keep your ticket until the doors have closed behind you.',
    ],
  },
];

const STORY: readonly string[] = [
  'The last train had left an hour ago, yet somebody was still waiting on the platform.',
  'She carried a small wooden box, and she held it as carefully as a sleeping bird.',
  'Nobody in the village could say who had painted the door blue.',
  'Years later he would tell the story differently, but this is how it happened.',
  'It rained all through the night, and in the morning the river had found a new bed.',
  'There are houses that seem to listen, and this was one of them.',
  'We walked along the shore until the lights of the town were only a thin line.',
  'And then, quite suddenly, the music stopped and everyone turned around.',
];

/**
 * A text for a preview when the caller brings none: a few whole sentences that suit the description (a broadcast, a
 * lesson, a tale, …). 100 to 1,000 characters as the wire contract requires (in fact about 160 to 500); the same random
 * source gives the same text.
 */
export function generatePreviewText(description: string, random: Random): string {
  const requested = MIN_CHARS + random() * (MAX_CHARS - MIN_CHARS);
  const pool = [...sentencesFor(description)];
  let text = '';
  while (pool.length > 0 && text.length < requested) {
    const [sentence = ''] = pool.splice(Math.floor(random() * pool.length), 1);
    text = text ? `${text} ${sentence}` : sentence;
  }
  return text;
}

/** Of several scenes that fit, the one whose cue comes first in the description. */
function sentencesFor(description: string): readonly string[] {
  const text = normalized(description, 'NFKC').toLowerCase();
  const found = SCENES.map(({ cues, sentences }) => ({ at: text.search(cues), sentences }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at);
  return found[0]?.sentences ?? STORY;
}
