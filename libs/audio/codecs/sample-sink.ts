import { powerDb } from '../signal/statistics';
import { UndecodableAudioError } from './undecodable-audio.error';

/** Seconds of both channels that are buffered, to decide how they become one. */
const DECIDE_AFTER_SECS = 20;
/** Channels whose difference is 20 dB below their sum carry the same voice (a mono MP3 decodes to two equal ones). */
const SAME_VOICE_RATIO = 0.01;
/** Float files may hold anything; 18 dB over full scale is far beyond any voice. */
const LARGEST_SAMPLE = 8;

type Mix = 'left' | 'right' | 'average';

/** How the two channels of a recording relate, read in its first 20 seconds that are not silent. */
export interface ChannelBalance {
  /** Level of the quieter channel re the louder, dB; -200 when there is nothing in it. */
  weakerChannelDb: number;
  /** Level of both channels added re both on their own, dB: 3 when they are the same, -200 when one is the other inverted. */
  channelSumDb: number;
}

/** Where decoded stretches of one or two channels go; the arrays may be used again afterwards. */
export interface Sink {
  /** @throws UndecodableAudioError when the sound gets longer than the limit */
  add(channels: Float32Array[]): void;
  /** Called for a piece without sound, too. @throws UndecodableAudioError when it is not needed any more */
  check?(): void;
}

export function tooLong(sampleRate: number, maxSamples: number): UndecodableAudioError {
  return new UndecodableAudioError(`more than ${Math.floor(maxSamples / sampleRate)} seconds of audio`);
}

/** Counts decoded samples and stops at a length limit, or when their number is not needed any more. */
export class SampleCounter implements Sink {
  length = 0;

  constructor(
    private readonly sampleRate: number,
    private readonly maxSamples: number,
    private readonly isStopped: () => boolean,
  ) {}

  add([samples]: Float32Array[]): void {
    this.check();
    this.length += samples?.length ?? 0;
    if (this.length > this.maxSamples) throw tooLong(this.sampleRate, this.maxSamples);
  }

  check(): void {
    if (this.isStopped()) throw new UndecodableAudioError('a recording whose inspection was stopped');
  }
}

/**
 * Collects decoded channels as one mono signal and stops at a length limit, so that a small file cannot unpack
 * into all memory.
 *
 * Two channels with the same voice are averaged. Channels that differ are not: an average would cancel what is out of
 * phase, colour what two microphones recorded at different distances and hide the clipping of one of them, so the louder
 * channel is taken whole. Loudness is therefore that of one channel, as a mono file would read (ITU-R BS.1770 would add
 * the two channels' power, 3 dB more for a mono voice stored twice).
 */
export class SampleSink implements Sink {
  /** Null until the first channels were compared, for one channel, and for silence. */
  balance: ChannelBalance | null = null;
  private mono: Float32Array;
  private length = 0;
  private mix: Mix | undefined;
  private pending: Float32Array[][] = [];
  private pendingLength = 0;

  /**
   * @param expected samples that the header promises; used for allocation only
   * @param room what to collect them in, if that is enough
   */
  constructor(
    private readonly sampleRate: number,
    private readonly maxSamples: number,
    expected = 0,
    room?: Float32Array,
  ) {
    const capacity = Math.min(maxSamples, Math.ceil(expected > 0 ? expected : sampleRate * 30));
    this.mono = room && room.length >= capacity ? room : new Float32Array(capacity);
  }

  add(channels: Float32Array[]): void {
    const samples = channels[0]?.length ?? 0;
    if (samples === 0) return;
    if (this.length + this.pendingLength + samples > this.maxSamples)
      throw tooLong(this.sampleRate, this.maxSamples);
    if (channels.length === 1) return this.append(channels[0]!);
    if (this.mix) return this.append(mixDown(channels, this.mix));
    this.pending.push(channels.map((channel) => channel.slice()));
    this.pendingLength += samples;
    if (this.pendingLength >= DECIDE_AFTER_SECS * this.sampleRate) this.settle();
  }

  /** The mono signal so far. */
  finish(): Float32Array {
    this.settle();
    return this.mono.subarray(0, this.length);
  }

  private settle(): void {
    if (this.pending.length === 0) return;
    const energies = channelEnergies(this.pending);
    const mix = chooseMix(energies);
    // Silence says nothing about the channels: what follows decides.
    if (energies.left + energies.right !== 0) {
      this.mix = mix;
      this.balance = balanceOf(energies);
    }
    for (const channels of this.pending) this.append(mixDown(channels, mix));
    this.pending = [];
    this.pendingLength = 0;
  }

  private append(samples: Float32Array): void {
    const end = this.length + samples.length;
    if (end > this.mono.length) this.grow(end);
    for (let n = 0; n < samples.length; n++) this.mono[this.length + n] = sane(samples[n]!);
    this.length = end;
  }

  private grow(needed: number): void {
    const bigger = new Float32Array(Math.min(this.maxSamples, Math.max(needed, this.mono.length * 2)));
    bigger.set(this.mono.subarray(0, this.length));
    this.mono = bigger;
  }
}

interface Energies {
  left: number;
  right: number;
  difference: number;
}

function channelEnergies(stretches: Float32Array[][]): Energies {
  let [left, right, difference] = [0, 0, 0];
  for (const [a, b] of stretches) {
    if (!a || !b) continue;
    for (let n = 0; n < a.length; n++) {
      left += a[n]! * a[n]!;
      right += b[n]! * b[n]!;
      difference += (a[n]! - b[n]!) ** 2;
    }
  }
  return { left, right, difference };
}

function chooseMix({ left, right, difference }: Energies): Mix {
  if (difference <= (left + right) * SAME_VOICE_RATIO) return 'average';
  return right > left ? 'right' : 'left';
}

/** Null for silence, which has no balance. */
function balanceOf({ left, right, difference }: Energies): ChannelBalance | null {
  const both = left + right;
  if (!Number.isFinite(both) || both === 0) return null;
  const sum = Math.max(0, 2 * both - difference);
  return {
    weakerChannelDb: powerDb(Math.min(left, right) / Math.max(left, right)),
    channelSumDb: powerDb(sum / both),
  };
}

function mixDown([left, right]: Float32Array[], mix: Mix): Float32Array {
  if (mix === 'right') return right!;
  if (mix === 'left') return left!;
  return left!.map((sample, n) => (sample + right![n]!) / 2);
}

function sane(sample: number): number {
  if (sample <= LARGEST_SAMPLE && sample >= -LARGEST_SAMPLE) return sample;
  return Number.isFinite(sample) ? Math.sign(sample) * LARGEST_SAMPLE : 0;
}
