// How well copies of recordings are found: every recording of a folder in five encodings, against all the others.
// node bench/review/same-recordings.mjs FOLDER [--recordings N], after npm run build
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

const require = createRequire(import.meta.url);
const { decodeAudio } = require('../../dist/libs/audio/codecs/decode-audio.js');
const { encodeAudio } = require('../../dist/libs/audio/codecs/encode-audio.js');
const { resample } = require('../../dist/libs/audio/signal/resample.js');
const { fingerprintRecording } = require('../../dist/libs/audio/fingerprints/recording-fingerprint.js');
const {
  compareFingerprints,
  SAME_BELOW,
} = require('../../dist/libs/audio/fingerprints/compare-fingerprints.js');

const ENCODINGS = {
  'MP3 128 kbit/s, 44.1 kHz': async (sound) => decoded(await encodeAudio(sound, 'mp3_44100_128')),
  'MP3 64 kbit/s, 44.1 kHz': async (sound) => decoded(await encodeAudio(sound, 'mp3_44100_64')),
  'MP3 32 kbit/s, 22 kHz': async (sound) => decoded(await encodeAudio(sound, 'mp3_22050_32')),
  '16 kHz, half the level, 0.3 s cut off': async ({ samples, sampleRate }) => ({
    samples: resample(samples.subarray(0.3 * sampleRate), sampleRate, 16_000).map((x) => x / 2),
    sampleRate: 16_000,
  }),
  'telephone: 8 kHz, 8 bits': async ({ samples, sampleRate }) => ({
    samples: resample(samples, sampleRate, 8_000).map((x) => Math.round(x * 127) / 127),
    sampleRate: 8_000,
  }),
};

const decoded = ({ bytes }) => decodeAudio(bytes);

/** The take that a file is of: conditions of one talker (`c3_f1`, `sp0102_c3_sn0`) are the same take, degraded. */
const takeOf = (path) =>
  basename(path)
    .replace(/\.\w+$/, '')
    .replace(/(^|_)c\d+(?=_|$)/, '');

function soundFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .filter((name) => /\.(flac|wav|mp3)$/.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** `count` files, spread over all of them. */
const spread = (files, count) =>
  files.length <= count
    ? files
    : Array.from({ length: count }, (_, n) => files[Math.floor((n * files.length) / count)]);

function isFound(copy, original) {
  const keys = new Set(original.keys);
  if (!copy.lookups.some((key) => keys.has(key))) return false;
  const likeness = compareFingerprints(copy.steps, original.steps);
  return likeness !== null && likeness.bitErrorRate < SAME_BELOW;
}

const [folder, , given] = process.argv.slice(2);
if (!folder) throw new Error('Give the folder of the recordings.');
const files = spread(soundFiles(folder), Number(given ?? 60));
const originals = [];
for (const path of files) {
  const sound = await decodeAudio(readFileSync(path));
  originals.push({
    path,
    take: takeOf(path),
    sound,
    ...fingerprintRecording(sound.samples, sound.sampleRate),
  });
}
const rows = [];
for (const [encoding, encode] of Object.entries(ENCODINGS)) {
  const row = { encoding, copies: 0, found: 0, 'same take': 0, wrong: 0, worstBits: 0 };
  for (const original of originals) {
    const { samples, sampleRate } = await encode(original.sound);
    const copy = fingerprintRecording(samples, sampleRate);
    row.copies++;
    for (const other of originals) {
      if (!isFound(copy, other)) continue;
      if (other === original) row.found++;
      else if (other.take === original.take) row['same take']++;
      else row.wrong++;
    }
    const rate = compareFingerprints(copy.steps, original.steps)?.bitErrorRate ?? 1;
    row.worstBits = Math.max(row.worstBits, rate);
  }
  rows.push({
    ...row,
    worstBits: row.worstBits.toFixed(2),
    recall: (row.found / row.copies).toFixed(3),
    precision: ((row.found + row['same take']) / (row.found + row['same take'] + row.wrong)).toFixed(3),
  });
}
console.log(`${files.length} recordings, ${new Set(originals.map(({ take }) => take)).size} takes`);
console.table(rows);
const tenSecs = Float32Array.from(
  { length: 441_000 },
  (_, n) => originals[0].sound.samples[n % originals[0].sound.samples.length],
);
const times = Array.from({ length: 9 }, () => {
  const start = performance.now();
  fingerprintRecording(tenSecs, 44_100);
  return performance.now() - start;
}).sort((a, b) => a - b);
console.log(
  `Fingerprint of 10 s at 44.1 kHz: ${times[4].toFixed(0)} ms (median of 9), ${times[0].toFixed(0)} ms at best`,
);
