import { decodeAudio } from '../../libs/audio/codecs/decode-audio';
import { encodeAudio } from '../../libs/audio/codecs/encode-audio';
import { resample } from '../../libs/audio/signal/resample';
import {
  inRoom,
  joined,
  mixed,
  noise,
  scaled,
  seededRandom,
  sine,
  whispered,
  withModulatedNoise,
} from '../support/audio/signals';
import { mean, meanSquare, percentile } from '../../libs/audio/signal/statistics';
import { detectVoice } from '../../libs/audio/signal/voice-activity';
import { synthesizeWithFlite } from '../../libs/voice-engine/flite-synthesizer';
import type { ReasonCode } from '../../libs/domain/reviews/recording-reasons';

export interface Clip {
  samples: Float32Array;
  sampleRate: number;
}

/** What is done to a clean recording, and what the review must make of it. */
export interface Degradation {
  name: string;
  apply: (clip: Clip, other: Clip) => Clip | Promise<Clip>;
  /** It costs at least a grade, for one of these reasons... */
  costsAGrade?: readonly ReasonCode[];
  /** ... or it is harmless: it costs no grade, but for these reasons, and never these, and changes the score by no more. */
  harmless?: { except?: readonly ReasonCode[]; never?: readonly ReasonCode[]; within?: number };
}

const HARBOUR =
  'The harbour was quiet that morning, and the boats lay still while the fog moved slowly over the sea.';
const PLOSIVES =
  'Peter Piper picked a peck of pickled peppers. Take it back, tick tack, top to bottom; put the cup on the table.';

const COSTS: Degradation[] = [
  row('noise 20 dB below', (clip) => withNoise(clip, 20), ['background_noise']),
  row('noise 10 dB below in the first half', (clip) => withNoise(clip, 10, [0, 0.5]), ['background_noise']),
  row('noise 5 dB below in the last third', (clip) => withNoise(clip, 5, [0.67, 1]), ['background_noise']),
  row('a burst of noise as loud as the speech', (clip) => withNoise(clip, 0, [0.4, 0.65]), [
    'background_noise',
  ]),
  row('noise 15 dB below, gated in pauses', gatedNoise, ['background_noise']),
  row('music 10 dB below', (clip) => laidUnder(clip, music(secsOf(clip), clip.sampleRate), 10), [
    'background_noise',
    'second_voice',
  ]),
  row('a second talker 10 dB below', (clip, other) => laidUnder(clip, looped(other, clip), 10), [
    'second_voice',
    'background_noise',
  ]),
  row('modulated noise, Q 20 dB', (clip) => changed(clip, (x) => withModulatedNoise(x, 20)), [
    'signal_distortion',
    'processing_artifacts',
  ]),
  row('gaps of 20 ms', (clip) => withGaps(clip, 0), ['dropouts']),
  row('gaps of 20 ms filled with quiet noise', (clip) => withGaps(clip, 0.002), ['dropouts']),
  row('packets of 20 ms sent twice', repeatedPackets, ['dropouts']),
  row('stretches of 90 to 170 ms twice', stuttered, ['dropouts']),
  row('full-scale clicks', (clip) => withClicks(clip, 1, 1), ['clicks']),
  row('pops', (clip) => withClicks(clip, 0.6, 24), ['clicks']),
  row('5 % clipped', (clip) => clipped(clip, 0.05), ['clipping', 'limiting']),
  row('5 % clipped, then MP3', async (clip) => throughMp3(clipped(clip, 0.05)), ['clipping', 'limiting']),
  row('hum with harmonics 25 dB below', (clip) => withHum(clip, -25, [1, 0.6, 0.8, 0.3, 0.4]), ['mains_hum']),
  row('rumble as loud as the speech', withRumble, ['rumble']),
  row('a room that rings for 1.2 s', (clip) => changed(clip, (x) => inRoom(x, clip.sampleRate, 1.2, 1)), [
    'reverberation',
  ]),
  row('telephone band', (clip) => changed(clip, (x) => throughRate(x, clip.sampleRate, 6_800)), [
    'narrow_bandwidth',
  ]),
  row('typing, 4 keys a second', (clip) => withKeys(clip, 4, -6), ['clicks']),
  row('quiet typing, 8 keys a second', (clip) => withKeys(clip, 8, -12), ['clicks']),
  row('loud clicks of a mouse, 2 a second', (clip) => withKeys(clip, 2, 2), ['clicks']),
  row('a second talker as loud', (clip, other) => laidUnder(clip, looped(other, clip), 0), [
    'second_voice',
    'background_noise',
  ]),
  row('a second talker 5 dB below', (clip, other) => laidUnder(clip, looped(other, clip), 5), [
    'second_voice',
    'background_noise',
  ]),
  row('an echo after 250 ms, 6 dB below', (clip) => withEcho(clip, 0.25), ['echo']),
  row('an echo after 400 ms, 6 dB below', (clip) => withEcho(clip, 0.4), ['echo']),
  row('a comb of 8 ms', (clip) => withEcho(clip, 0.008), ['echo']),
  row('splices of 62 ms', spliced, ['dropouts', 'clicks']),
  row('2 % clipped, then MP3', async (clip) => throughMp3(clipped(clip, 0.02)), ['clipping', 'limiting']),
  row(
    'modulated noise, Q 20 dB, of a high voice',
    (clip) => changed(highVoice(clip), (x) => withModulatedNoise(x, 20)),
    ['signal_distortion', 'processing_artifacts'],
  ),
  row('noise 25 dB below held notes', (clip) => withNoise(sung(clip), 25), ['background_noise']),
  row('music only', (clip) => ({ ...clip, samples: music(secsOf(clip), clip.sampleRate) }), ['no_speech']),
  row('a held tone', (clip) => ({ ...clip, samples: heldTone(clip) }), ['no_speech']),
  row('noise only', (clip) => ({ ...clip, samples: noise(secsOf(clip), clip.sampleRate, 0.05) }), [
    'no_speech',
  ]),
];

const HARMLESS: Degradation[] = [
  harmless('unchanged', (clip) => clip),
  harmless('pauses cut out', withoutPauses, { except: ['too_short'] }),
  harmless('long silence around it', (clip) => padded(clip, 0.15), { except: ['level_low'] }),
  harmless('12 dB quieter', (clip) => changed(clip, (x) => scaled(x, 0.25)), { except: ['level_low'] }),
  harmless('resolved to 8 bits', (clip) => changed(clip, (x) => toBits(x, 8)), {
    except: ['background_noise', 'signal_distortion'],
    never: ['dropouts'],
  }),
  harmless('a fundamental of hum 40 dB below', (clip) => withHum(clip, -40, [1])),
  harmless('whispered', (clip) => changed(clip, whispered), {
    except: ['background_noise', 'signal_distortion', 'level_low', 'too_short'],
    never: ['no_speech'],
  }),
  harmless('1.1 s of it', (clip) => loudestStretch(clip, 1.1), {
    except: ['too_short', 'narrow_bandwidth', 'signal_distortion'],
    never: ['no_speech', 'background_noise'],
  }),
  harmless('noise 3 dB below', (clip) => withNoise(clip, 3), {
    except: ['background_noise', 'signal_distortion', 'narrow_bandwidth', 'level_high'],
    never: ['no_speech'],
  }),
  harmless('held notes', (clip) => sung(clip), { except: ['narrow_bandwidth'] }),
  harmless('held notes with vibrato', (clip) => sung(clip, 0.03), { except: ['narrow_bandwidth'] }),
  harmless('sung words', sungWords, { except: ['narrow_bandwidth'] }),
  harmless('words full of plosives', (clip) => said(clip, PLOSIVES, 1), { except: ['narrow_bandwidth'] }),
  harmless('a lively voice', (clip) => said(clip, HARBOUR, 1, 45), { except: ['narrow_bandwidth'] }),
  harmless('the same words twice', (clip) => changed(clip, (x) => joined(x, x)), { except: ['too_short'] }),
  harmless('a small, dry room', (clip) => changed(clip, (x) => inRoom(x, clip.sampleRate, 0.15, 12))),
  harmless('compressed 3 to 1', compressed, { except: ['background_noise'] }),
  harmless('a high voice', highVoice, { except: ['narrow_bandwidth', 'too_short'] }),
  harmless('3 s of room tone after it', withRoomTone, { except: ['level_low'], within: 0.1 }),
  harmless('its first 2.5 s', (clip) => changed(clip, (x) => x.slice(0, 2.5 * clip.sampleRate)), {
    except: ['too_short', 'signal_distortion'],
    within: 0.15,
  }),
  harmless('MP3 of 128 kbit/s', throughMp3, { except: ['narrow_bandwidth'] }),
];

export const DEGRADATIONS: readonly Degradation[] = [...COSTS, ...HARMLESS];

function row(name: string, apply: Degradation['apply'], costsAGrade: readonly ReasonCode[]): Degradation {
  return { name, apply, costsAGrade };
}

function harmless(
  name: string,
  apply: Degradation['apply'],
  bounds: Degradation['harmless'] = {},
): Degradation {
  return { name, apply, harmless: bounds };
}

const secsOf = ({ samples, sampleRate }: Clip) => samples.length / sampleRate;

function changed(clip: Clip, change: (samples: Float32Array) => Float32Array): Clip {
  return { ...clip, samples: change(clip.samples) };
}

/** Root mean square of the louder moments, as the level that everything is laid under. */
function speechRms({ samples, sampleRate }: Clip): number {
  const size = Math.round(sampleRate * 0.02);
  const powers = Array.from({ length: Math.floor(samples.length / size) }, (_, block) => {
    return meanSquare(samples, block * size, (block + 1) * size);
  });
  const least = percentile(powers, 0.95) / 40;
  return Math.sqrt(mean(powers.filter((power) => power > least)));
}

/** White noise `snrDb` below the speech, in a part of the recording. */
function withNoise(clip: Clip, snrDb: number, [from, to] = [0, 1]): Clip {
  const { samples, sampleRate } = clip;
  const hiss = noise(secsOf(clip), sampleRate, speechRms(clip) * 10 ** (-snrDb / 20), 5);
  const [first, last] = [from * samples.length, to * samples.length];
  return changed(clip, (x) => x.map((value, n) => (n >= first && n < last ? value + hiss[n]! : value)));
}

async function voiceOf({ samples, sampleRate }: Clip): Promise<(sample: number) => boolean> {
  const active = await detectVoice(resample(samples, sampleRate, 16_000), 16_000, 3);
  return (sample) => active[Math.floor((sample * 100) / sampleRate)] === 1;
}

async function gatedNoise(clip: Clip): Promise<Clip> {
  const isVoice = await voiceOf(clip);
  const noisy = withNoise(clip, 15).samples;
  return changed(clip, (x) => x.map((value, n) => (isVoice(n) ? noisy[n]! : value)));
}

async function withoutPauses(clip: Clip): Promise<Clip> {
  const isVoice = await voiceOf(clip);
  return changed(clip, (x) => x.filter((_, n) => isVoice(n)));
}

function laidUnder(clip: Clip, other: Float32Array, belowDb: number): Clip {
  const level = speechRms({ ...clip, samples: other });
  return changed(clip, (x) => mixed(x, scaled(other, (speechRms(clip) * 10 ** (-belowDb / 20)) / level)));
}

function looped(other: Clip, { samples, sampleRate }: Clip): Float32Array {
  const voice = resample(other.samples, other.sampleRate, sampleRate);
  return samples.map((_, n) => voice[(n + (voice.length >> 1)) % voice.length]!);
}

/** Chords of a plucked instrument, a new one every half second. */
function music(secs: number, sampleRate: number): Float32Array {
  const chords = [
    [220, 277, 330],
    [196, 247, 294],
    [175, 220, 262],
    [233, 294, 349],
  ];
  const sendHeartbeat = Math.round(sampleRate / 2);
  return Float32Array.from({ length: Math.round(secs * sampleRate) }, (_, n) => {
    const [chord, secsIn] = [
      chords[Math.floor(n / sendHeartbeat) % chords.length]!,
      (n % sendHeartbeat) / sampleRate,
    ];
    const tones = chord.flatMap((hz) =>
      [1, 2, 3, 4, 5].map((h) => Math.sin((2 * Math.PI * hz * h * n) / sampleRate + h) / h),
    );
    return 0.03 * Math.exp(-3 * secsIn) * tones.reduce((sum, x) => sum + x, 0);
  });
}

function heldTone(clip: Clip): Float32Array {
  const shape = { secs: secsOf(clip), sampleRate: clip.sampleRate };
  return mixed(sine(180, { ...shape, amplitude: 0.2 }), sine(360, { ...shape, amplitude: 0.1 }));
}

/** Starts of stretches in the middle of sound, about five in ten seconds. */
function loudPlaces(clip: Clip, secs: number): number[] {
  const { samples, sampleRate } = clip;
  const edge = Math.round(sampleRate * 0.003);
  const least = speechRms(clip) * 0.4;
  const level = (at: number) => Math.hypot(...samples.subarray(at, at + edge)) / Math.sqrt(edge);
  const length = Math.round(sampleRate * secs);
  const places: number[] = [];
  for (let at = length; at + 3 * length < samples.length; at += Math.round(edge / 2)) {
    const free = at - (places.at(-1) ?? -Infinity) > sampleRate * 0.8;
    if (free && level(at - edge) > least && level(at + length) > least) places.push(at);
  }
  return places;
}

function withGaps(clip: Clip, filling: number): Clip {
  const length = Math.round(clip.sampleRate * 0.02);
  const quiet = noise(0.02, clip.sampleRate, speechRms(clip) * filling, 3);
  return changed(clip, (x) => {
    const output = x.slice();
    for (const at of loudPlaces(clip, 0.02)) output.set(quiet.subarray(0, length), at);
    return output;
  });
}

function repeatedPackets(clip: Clip): Clip {
  const length = Math.round(clip.sampleRate * 0.02);
  return changed(clip, (x) => {
    const output = x.slice();
    for (const at of loudPlaces(clip, 0.02)) output.copyWithin(at, at - length, at);
    return output;
  });
}

/** Three stretches are spoken again at once. */
function stuttered(clip: Clip): Clip {
  const places = loudPlaces(clip, 0.02).filter((_, n) => n % 2 === 1);
  return changed(clip, (x) => {
    const parts = places.map((at, n) => {
      const length = Math.round(clip.sampleRate * (0.09 + 0.04 * (n % 3)));
      return joined(x.slice(places[n - 1] ?? 0, at), x.slice(at - length, at));
    });
    return joined(...parts, x.slice(places.at(-1)));
  });
}

function withRumble(clip: Clip): Clip {
  const { samples, sampleRate } = clip;
  const slow = resample(noise(secsOf(clip) + 1, 160, 1, 7), 160, sampleRate).subarray(0, samples.length);
  return changed(clip, (x) => mixed(x, scaled(slow, speechRms(clip) / Math.sqrt(meanSquare(slow)))));
}

/** A click every half second that dies away over some samples of 16 kHz. */
function withClicks(clip: Clip, peak: number, length: number): Clip {
  const step = Math.round(clip.sampleRate / 2);
  const size = length === 1 ? 1 : Math.round((length * clip.sampleRate) / 16_000);
  return changed(clip, (x) =>
    x.map((value, n) => {
      const since = (n + step) % step;
      const sign = Math.floor(n / step) % 2 ? -1 : 1;
      return n > step && since < size ? value + sign * peak * Math.exp((-3 * since) / size) : value;
    }),
  );
}

function clipped(clip: Clip, share: number): Clip {
  const limit = percentile(clip.samples.map(Math.abs), 1 - share);
  return changed(clip, (x) => x.map((value) => Math.max(-limit, Math.min(limit, value))));
}

function withHum(clip: Clip, levelDb: number, harmonics: number[]): Clip {
  const shape = { secs: secsOf(clip), sampleRate: clip.sampleRate };
  const tones = harmonics.map((amplitude, n) => sine(50 * (n + 1), { ...shape, amplitude, phase: n }));
  const power = harmonics.reduce((sum, amplitude) => sum + amplitude ** 2 / 2, 0);
  const scale = (speechRms(clip) * 10 ** (levelDb / 20)) / Math.sqrt(power);
  return changed(clip, (x) => mixed(x, ...tones.map((tone) => scaled(tone, scale))));
}

function throughRate(samples: Float32Array, sampleRate: number, rate: number): Float32Array {
  return resample(resample(samples, sampleRate, rate), rate, sampleRate);
}

/** Silence around it until it is `share` of the whole; quiet noise, as rooms have it. */
function padded(clip: Clip, share: number): Clip {
  const secs = (secsOf(clip) * (1 / share - 1)) / 2;
  const quiet = (seed: number) => noise(secs, clip.sampleRate, speechRms(clip) * 0.0007, seed);
  return changed(clip, (x) => joined(quiet(1), x, quiet(2)));
}

function toBits(samples: Float32Array, bits: number): Float32Array {
  const steps = 2 ** (bits - 1) - 1;
  return samples.map((x) => Math.round(x * steps) / steps);
}

function loudestStretch(clip: Clip, secs: number): Clip {
  const length = Math.round(secs * clip.sampleRate);
  const energyAt = (at: number) => clip.samples.subarray(at, at + length).reduce((sum, x) => sum + x * x, 0);
  const starts = Array.from({ length: Math.floor((clip.samples.length - length) / (length / 10)) }, (_, n) =>
    Math.floor((n * length) / 10),
  );
  const best = starts.reduce((a, b) => (energyAt(b) > energyAt(a) ? b : a), 0);
  return changed(clip, (x) => x.slice(best, best + length));
}

async function throughMp3(clip: Clip): Promise<Clip> {
  const encoded = await encodeAudio(clip, 'mp3_44100_128');
  const { samples, sampleRate } = await decodeAudio(encoded.bytes);
  return { samples, sampleRate };
}

/** Keys that are pressed and let go: two bursts of some milliseconds with the resonances of a keyboard, `levelDb` re the speech. */
function withKeys(clip: Clip, perSec: number, levelDb: number): Clip {
  const { samples, sampleRate } = clip;
  const random = seededRandom(21);
  const peak = speechRms(clip) * 10 ** (levelDb / 20) * 3;
  const output = samples.slice();
  const burst = (atSecs: number, gain: number) => {
    const from = Math.round(atSecs * sampleRate);
    const hz = 1_800 + 2_500 * random();
    for (let n = 0; n < 0.02 * sampleRate && from + n < output.length; n++) {
      const secs = n / sampleRate;
      const body = 0.5 * Math.sin(2 * Math.PI * hz * secs) + (random() * 2 - 1) * 0.7;
      output[from + n]! += gain * body * Math.min(1, secs / 0.0005) * Math.exp(-secs / 0.004);
    }
  };
  for (let at = 0.1; at < secsOf(clip); at += (0.6 + 0.8 * random()) / perSec) {
    const gain = peak * (0.6 + 0.4 * random());
    burst(at, gain);
    burst(at + 0.07 + 0.03 * random(), gain * 0.5);
  }
  return { ...clip, samples: output };
}

/** Half as loud, once. */
function withEcho(clip: Clip, secs: number): Clip {
  const delay = Math.round(secs * clip.sampleRate);
  return changed(clip, (x) => x.map((value, n) => value + (n < delay ? 0 : 0.5 * x[n - delay]!)));
}

/** 62 ms are missing in the middle of every other loud sound. */
function spliced(clip: Clip): Clip {
  const length = Math.round(clip.sampleRate * 0.062);
  const places = loudPlaces(clip, 0.062);
  return changed(clip, (x) =>
    joined(
      ...places.map((at, n) => x.slice(n === 0 ? 0 : places[n - 1]! + length, at)),
      x.slice((places.at(-1) ?? -length) + length),
    ),
  );
}

function highVoice(clip: Clip): Clip {
  const { sampleRate } = clip;
  return changed(clip, (x) => resample(x, sampleRate * 1.3, sampleRate));
}

/** The quietest tenth of a second of it, there and back again. */
function withRoomTone(clip: Clip): Clip {
  const { samples, sampleRate } = clip;
  const size = Math.round(sampleRate * 0.1);
  const starts = Array.from(
    { length: Math.floor((samples.length * 2) / size) - 2 },
    (_, n) => (n * size) >> 1,
  );
  const powerAt = (at: number) => meanSquare(samples, at, at + size);
  const quietest = starts.reduce((a, b) => (powerAt(b) > 0 && powerAt(b) < powerAt(a) ? b : a));
  const tone = samples.slice(quietest, quietest + size);
  const back = tone.toReversed();
  return changed(clip, (x) => joined(x, ...Array.from({ length: 30 }, (_, n) => (n % 2 ? back : tone))));
}

/** Levels above 20 dB below the speech come three times as near to each other; attack 5 ms, release 100 ms. */
function compressed(clip: Clip): Clip {
  const { sampleRate } = clip;
  const threshold = speechRms(clip) * 0.5;
  let level = 0;
  return changed(clip, (x) =>
    x.map((value) => {
      const size = Math.abs(value);
      level += (size - level) / (sampleRate * (size > level ? 0.005 : 0.1));
      return level <= threshold ? value : value * (level / threshold) ** (-2 / 3);
    }),
  );
}

/** A voice that holds notes of 0.5 to 1.5 s with pauses between them, on vowels, in a quiet room. */
function sung({ samples, sampleRate }: Clip, vibrato = 0.01): Clip {
  const random = seededRandom(31);
  const secs = Math.max(8, samples.length / sampleRate);
  const output = noise(secs, sampleRate, 0.0001, 33);
  const scale = [196, 220, 247, 262, 294, 330];
  let note = 2;
  for (let at = 0.3; at + 2 < secs;) {
    const legato = 2 + Math.floor(random() * 3);
    for (let n = 0; n < legato && at + 1.6 < secs; n++) {
      note = Math.max(0, Math.min(5, note + Math.floor(random() * 3) - 1));
      const length = 0.5 + random();
      addNote(output, {
        at,
        secs: length,
        sampleRate,
        hz: scale[note]!,
        vibrato,
        vowel: Math.floor(random() * 4),
      });
      at += length;
    }
    at += 0.4 + 0.3 * random();
  }
  return { samples: output, sampleRate };
}

const FORMANTS = [
  [730, 1090, 2440, 3400],
  [400, 2000, 2550, 3500],
  [450, 800, 2830, 3500],
  [530, 1840, 2480, 3500],
] as const;

function addNote(
  output: Float32Array,
  v: { at: number; secs: number; sampleRate: number; hz: number; vibrato: number; vowel: number },
): void {
  const start = Math.round(v.at * v.sampleRate);
  const length = Math.round(v.secs * v.sampleRate);
  const gainsOf = (vowel: number) =>
    Array.from({ length: Math.floor(Math.min(7_500, v.sampleRate * 0.45) / v.hz) }, (_, h) => {
      const hz = (h + 1) * v.hz;
      return (
        FORMANTS[vowel % 4]!.reduce((sum, centre) => sum + 1 / (1 + ((hz - centre) / 90) ** 2), 0.01) /
        (h + 1)
      );
    });
  const [gains, later] = [gainsOf(v.vowel), gainsOf(v.vowel + 1)];
  const breath = seededRandom(length);
  let phase = 0;
  for (let n = 0; n < length && start + n < output.length; n++) {
    const t = n / v.sampleRate;
    const drift =
      1 + v.vibrato * Math.sin(2 * Math.PI * 5.5 * t) * Math.min(1, t / 0.3) + 0.003 * Math.sin(17 * t);
    phase += (2 * Math.PI * v.hz * drift) / v.sampleRate;
    const fade = Math.min(1, t / 0.06, (v.secs - t) / 0.06);
    const swell = 0.8 + 0.2 * Math.sin((Math.PI * t) / v.secs);
    let value = (breath() - 0.5) * 0.004;
    const share = Math.min(1, Math.max(0, t / 0.2 - 0.5));
    for (let h = 0; h < gains.length; h++)
      value += (gains[h]! * (1 - share) + later[h]! * share) * Math.sin(phase * (h + 1) + h);
    output[start + n]! += 0.12 * fade * swell * value;
  }
}

function sungWords(clip: Clip): Clip {
  return said(clip, HARBOUR, 2.5, 4);
}

/** Said by the embedded engine, on a very quiet room. */
function said({ sampleRate }: Clip, text: string, stretch: number, f0sd = 20): Clip {
  const speech = synthesizeWithFlite(text, { voice: 'slt', f0: 200, f0sd, stretch });
  const samples = resample(speech.samples, speech.sampleRate, sampleRate);
  return { samples: mixed(samples, noise(samples.length / sampleRate, sampleRate, 1e-5, 3)), sampleRate };
}
