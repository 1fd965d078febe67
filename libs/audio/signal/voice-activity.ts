import { loadInThread } from '@app/domain/common/load-in-thread';
import type { FvadModule } from '@echogarden/fvad-wasm';
import { percentile, powerDb, meanSquare } from './statistics';

/** How sure the detector must be: 3 calls little speech (what is left over is a pause), 1 calls more. */
type Strictness = 1 | 3;

const FRAME_SECS = 0.01;
/** The detector was trained on telephone levels; the loud parts are brought to about -20 dB RMS. */
const WORKING_LEVEL_DB = -20;

let loading: Promise<FvadModule> | undefined;

/**
 * Speech or not, for every 10 ms (WebRTC voice activity detector). It calls steady noise and tones "speech" too, so
 * the result needs a check of voicing beside it.
 *
 * @param sampleRate 8000 or 16000 Hz
 */
export async function detectVoice(
  samples: Float32Array,
  sampleRate: number,
  strictness: Strictness,
): Promise<Uint8Array> {
  const detector = await (loading ??= loadInThread(loadDetector));
  const length = Math.round(sampleRate * FRAME_SECS);
  const frames = Math.floor(samples.length / length);
  const active = new Uint8Array(frames);
  const gain = 32768 * gainToWorkingLevel(samples, length);
  const buffer = detector._malloc(length * 2);
  const vad = detector._fvad_new();
  detector._fvad_set_mode(vad, strictness);
  detector._fvad_set_sample_rate(vad, sampleRate);
  for (let frame = 0; frame < frames; frame++) {
    const heap = detector.HEAP16;
    for (let n = 0; n < length; n++) heap[buffer / 2 + n] = toInt16(samples[frame * length + n]! * gain);
    active[frame] = detector._fvad_process(vad, buffer, length) === 1 ? 1 : 0;
  }
  detector._fvad_free(vad);
  detector._free(buffer);
  return active;
}

/** Imported here, not above, for the reason in `codecs/stream-decoders.ts`. */
async function loadDetector(): Promise<FvadModule> {
  const { default: fvad } = await import('@echogarden/fvad-wasm');
  return fvad();
}

function gainToWorkingLevel(samples: Float32Array, length: number): number {
  const levels: number[] = [];
  for (let at = 0; at + length <= samples.length; at += length)
    levels.push(powerDb(meanSquare(samples, at, at + length)));
  const loud = percentile(levels, 0.9);
  return Number.isFinite(loud) && loud > -90 ? 10 ** ((WORKING_LEVEL_DB - loud) / 20) : 1;
}

function toInt16(sample: number): number {
  if (sample > 32767) return 32767;
  return sample < -32768 ? -32768 : sample;
}
