// Jest's sandbox makes every look-up of a global slow; the loops below run millions of times.
const { imul, min, sin } = Math;

/** Sounds that the specs make themselves, so that no recording is needed. Every random one repeats exactly. */
interface ToneShape {
  secs: number;
  sampleRate: number;
  /** Peak, 1 = full scale. */
  amplitude?: number;
  phase?: number;
}

/** Pseudo-random numbers in 0..1 from a seed (a 32-bit mixer). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  };
}

export function sine(hz: number, { secs, sampleRate, amplitude = 1, phase = 0 }: ToneShape): Float32Array {
  const length = Math.round(secs * sampleRate);
  const step = (2 * Math.PI * hz) / sampleRate;
  return Float32Array.from({ length }, (_, n) => amplitude * sin(step * n + phase));
}

/** White noise of this RMS (uniform, so that its peaks stay within 1.73 RMS). */
export function noise(secs: number, sampleRate: number, rms: number, seed = 1): Float32Array {
  const random = seededRandom(seed);
  const peak = rms * Math.sqrt(3);
  return Float32Array.from({ length: Math.round(secs * sampleRate) }, () => (random() * 2 - 1) * peak);
}

export function mixed(...signals: Float32Array[]): Float32Array {
  return signals[0]!.map((_, n) => signals.reduce((sum, signal) => sum + (signal[n] ?? 0), 0));
}

export function joined(...signals: Float32Array[]): Float32Array {
  const output = new Float32Array(signals.reduce((sum, signal) => sum + signal.length, 0));
  let at = 0;
  for (const signal of signals) {
    output.set(signal, at);
    at += signal.length;
  }
  return output;
}

export function scaled(signal: Float32Array, factor: number): Float32Array {
  return signal.map((x) => x * factor);
}

/** A WAV file around sample bytes; every header field can be set to a lie. */
export function wavFile(
  data: Uint8Array,
  {
    tag = 1,
    channels = 1,
    sampleRate = 16000,
    bits = 16,
    claimedBytes = data.length,
    extensible = false,
  } = {},
): Uint8Array {
  const formatBytes = extensible ? 40 : 16;
  const header = Buffer.alloc(28 + formatBytes);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE((20 + formatBytes + claimedBytes) >>> 0, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(formatBytes, 16);
  header.writeUInt16LE(extensible ? 0xfffe : tag, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(((sampleRate * channels * bits) / 8) >>> 0, 28);
  header.writeUInt16LE(((channels * bits) / 8) & 0xffff, 32);
  header.writeUInt16LE(bits, 34);
  if (extensible) header.writeUInt16LE(tag, 44);
  header.write('data', 20 + formatBytes, 'latin1');
  header.writeUInt32LE(claimedBytes >>> 0, 24 + formatBytes);
  return new Uint8Array(Buffer.concat([header, data]));
}

/** A 16-bit WAV file of mono sound; what is louder than full scale is clipped. */
export function wavOf(samples: Float32Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const data = Int16Array.from(samples, (x) => Math.max(-1, Math.min(1, x)) * 32_767);
  return new Uint8Array(wavFile(bytesOf(data), { sampleRate }));
}

/** The bytes of a typed array. */
export function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

/** Vowels as formant frequencies and bandwidths, Hz. */
const VOWELS: [hz: number, width: number][][] = [
  [
    [730, 90],
    [1090, 110],
    [2440, 170],
    [3400, 250],
  ],
  [
    [270, 60],
    [2290, 100],
    [3010, 120],
    [3600, 250],
  ],
  [
    [300, 60],
    [870, 90],
    [2240, 120],
    [3300, 250],
  ],
  [
    [530, 70],
    [1840, 100],
    [2480, 140],
    [3500, 250],
  ],
];

/**
 * A stand-in for clean read speech: syllables of a gliding voice through moving formants, a hiss for every second one,
 * words with pauses between them (about half of the time), all of it on a very quiet room.
 */
export function speechLike(
  secs: number,
  sampleRate: number,
  { f0 = 120, seed = 1, level = 0.1 } = {},
): Float32Array {
  const random = seededRandom(seed);
  const output = noise(secs, sampleRate, level * 0.0006, seed + 1);
  for (let at = 0.3; at + 1.2 < secs; at += 0.45 + random() * 0.3) {
    for (let syllable = 0; syllable < 3; syllable++, at += 0.22) {
      const pitch = f0 * (0.85 + 0.3 * random());
      const vowel = VOWELS[Math.floor(random() * VOWELS.length)]!;
      const loudness = level * (0.35 + 0.65 * random());
      addVowel(output, { at, secs: 0.17, sampleRate, pitch, vowel, level: loudness });
      if (syllable === 1)
        addHiss(output, { at: at + 0.14, secs: 0.11, sampleRate, level: level * 0.5, random });
    }
  }
  return output;
}

function addVowel(
  output: Float32Array,
  v: {
    at: number;
    secs: number;
    sampleRate: number;
    pitch: number;
    vowel: [number, number][];
    level: number;
  },
): void {
  const start = Math.round(v.at * v.sampleRate);
  const length = Math.round(v.secs * v.sampleRate);
  const harmonics = Math.floor(Math.min(7_000, v.sampleRate * 0.45) / v.pitch);
  for (let h = 1; h <= harmonics; h++) {
    const angular = 2 * Math.PI * h * v.pitch;
    const gain = (v.level * resonance(h * v.pitch, v.vowel)) / h;
    for (let n = 0; n < length && start + n < output.length; n++) {
      const t = n / v.sampleRate;
      const glide = 1 + 0.08 * (t / v.secs);
      const fade = min(1, t / 0.02, (v.secs - t) / 0.03);
      output[start + n]! += gain * fade * sin(angular * glide * t + h);
    }
  }
}

function resonance(hz: number, vowel: [number, number][]): number {
  return vowel.reduce((sum, [centre, width]) => sum + 1 / (1 + ((hz - centre) / width) ** 2), 0.002) * 3;
}

function addHiss(
  output: Float32Array,
  h: { at: number; secs: number; sampleRate: number; level: number; random: () => number },
): void {
  const start = Math.round(h.at * h.sampleRate);
  const length = Math.round(h.secs * h.sampleRate);
  let last = 0;
  for (let n = 0; n < length && start + n < output.length; n++) {
    const fresh = (h.random() * 2 - 1) * h.level;
    output[start + n]! += (fresh - last) * min(1, n / (length * 0.2), (length - n) / (length * 0.2));
    last = fresh;
  }
}

/** Noise that follows the signal, Q dB below it (the modulated noise reference unit of ITU-T P.810). */
export function withModulatedNoise(signal: Float32Array, q: number, seed = 9): Float32Array {
  const modulator = noise(signal.length, 1, 10 ** (-q / 20), seed);
  return signal.map((x, n) => x * (1 + modulator[n]!));
}

/** The signal in a room: exponentially decaying noise, its energy `directDb` below the direct sound. */
export function inRoom(
  signal: Float32Array,
  sampleRate: number,
  rt60: number,
  directDb: number,
): Float32Array {
  const random = seededRandom(5);
  const length = Math.round(sampleRate * Math.min(rt60, 0.8));
  // Sparse echoes (every 32nd sample) measure alike and cost a fraction.
  const taps: [delay: number, gain: number][] = [];
  for (let n = Math.round(sampleRate * 0.005); n < length; n += 1 + Math.floor(random() * 63)) {
    taps.push([n, (random() * 2 - 1) * 10 ** ((-3 * n) / sampleRate / rt60)]);
  }
  const energy = taps.reduce((sum, [, gain]) => sum + gain * gain, 0);
  const scale = Math.sqrt(10 ** (-directDb / 10) / energy);
  const output = signal.slice();
  for (const [delay, gain] of taps) {
    for (let n = delay; n < output.length; n++) output[n]! += signal[n - delay]! * gain * scale;
  }
  return output;
}

/** The signal after crude noise suppression: the other bins are pushed down by 30 dB, every 16 ms at 16 kHz. */
export function suppressed(
  signal: Float32Array,
  keep: (bin: number, frame: number) => boolean,
): Float32Array {
  return reshaped(signal, (bin, frame) => (keep(bin, frame) ? 1 : 0.03));
}

/** Speech without its voice, as in a whisper: the same spectrum, the signs of its bins drawn by chance. */
export function whispered(signal: Float32Array): Float32Array {
  const random = seededRandom(11);
  return reshaped(signal, () => (random() < 0.5 ? -1 : 1));
}

/** A lapped cosine transform (MDCT) of 128 bands, each multiplied, and back. */
function reshaped(signal: Float32Array, factor: (bin: number, frame: number) => number): Float32Array {
  const size = 256;
  const output = new Float32Array(signal.length);
  const window = Float32Array.from({ length: size }, (_, n) => sin((Math.PI * (n + 0.5)) / size));
  const cosines = Float32Array.from({ length: 4 * size }, (_, n) => Math.cos((Math.PI / (2 * size)) * n));
  for (let frame = 0, start = -size / 2; start < signal.length; frame++, start += size / 2) {
    for (let bin = 0; bin < size / 2; bin++) {
      const at = (n: number) => cosines[((2 * n + 1 + size / 2) * (2 * bin + 1)) % (4 * size)]!;
      let value = 0;
      for (let n = 0; n < size; n++) value += (signal[start + n] ?? 0) * window[n]! * at(n);
      value *= factor(bin, frame);
      for (let n = 0; n < size; n++) {
        if (start + n >= 0 && start + n < output.length)
          output[start + n]! += (value * window[n]! * at(n) * 4) / size;
      }
    }
  }
  return output;
}
