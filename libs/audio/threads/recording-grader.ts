import type { RulesetId } from '@app/domain/reviews/recording-rulesets';
import { decideRecording, undecodableVerdict, type Verdict } from '@app/domain/reviews/recording-verdict';
import type { SecondOpinion } from '@app/domain/reviews/second-opinion';
import { AudioThreads, type AudioSource, type MeasureOptions } from './audio-threads';
import type { MeasuredAudio } from './measure-task';
import { Dnsmos } from './dnsmos';
import { UndecodableAudioError } from '../codecs/undecodable-audio.error';

export interface GradedRecording {
  verdict: Verdict;
  /** Null when the bytes are not acceptable audio. */
  measured: Omit<MeasuredAudio, 'windows'> | null;
  /** Null without a model, and when the bytes are not acceptable audio. */
  secondOpinion: SecondOpinion | null;
  /** What was found instead of audio, and what is accepted; null for audio. */
  refusal: string | null;
}

type GradeOptions = Omit<MeasureOptions, 'withWindows'> & { ruleset?: RulesetId };

/** Grades recordings: decodes and measures them in worker threads, then judges them. */
export class RecordingGrader {
  private constructor(
    private readonly threads: AudioThreads,
    private readonly dnsmos: Dnsmos | null,
  ) {}

  /**
   * @param options.threads recordings that are measured at the same time
   * @param options.dnsmosModelPath a model that scores beside the rules; without one, nothing of it is loaded
   * @throws ConfigError when the model cannot be used
   */
  static async open(options: { threads: number; dnsmosModelPath?: string }): Promise<RecordingGrader> {
    const { threads, dnsmosModelPath: path } = options;
    const dnsmos = path === undefined ? null : await Dnsmos.open(path);
    return new RecordingGrader(new AudioThreads({ threads }), dnsmos);
  }

  /**
   * Grades one recording. Bytes that are not audio have a verdict too, and it is final.
   *
   * @throws AudioTaskTimeoutError, AudioTaskCrashedError, or the signal's reason: trouble that says nothing about the audio
   */
  async grade(
    recording: Uint8Array | AudioSource,
    { ruleset, ...options }: GradeOptions = {},
  ): Promise<GradedRecording> {
    try {
      const withWindows = this.dnsmos !== null;
      const { windows, ...measured } = await this.threads.measure(recording, { ...options, withWindows });
      const verdict = decideRecording(measured.measurements, ruleset);
      const secondOpinion = this.dnsmos && windows ? await this.dnsmos.listen(windows, options.signal) : null;
      return { verdict, measured, secondOpinion, refusal: null };
    } catch (error) {
      if (!(error instanceof UndecodableAudioError)) throw error;
      const verdict = undecodableVerdict(ruleset);
      return { verdict, measured: null, secondOpinion: null, refusal: error.message };
    }
  }

  /** Waits for what is running, then ends the threads. */
  async close(): Promise<void> {
    await Promise.all([this.threads.close(), this.dnsmos?.close()]);
  }
}
