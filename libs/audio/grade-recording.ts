import type { RulesetId } from '@app/domain/recording-rulesets';
import { decideRecording, undecodableVerdict, type Verdict } from '@app/domain/recording-verdict';
import type { AudioThreads, MeasuredAudio, MeasureOptions } from './audio-threads';
import { UndecodableAudioError } from './undecodable-audio.error';

export interface GradedRecording {
  verdict: Verdict;
  /** Null when the bytes are no acceptable audio. */
  measured: MeasuredAudio | null;
  /** What was found instead of audio, and what is accepted; null for audio. */
  refusal: string | null;
}

/**
 * Grades a recording: decodes and measures it in a worker thread, then judges it. Bytes that are no audio have a verdict
 * too, and it is final.
 *
 * @throws AudioTaskTimeoutError, AudioTaskCrashedError, or the signal's reason: trouble that says nothing about the audio
 */
export async function gradeRecording(
  threads: AudioThreads,
  bytes: Uint8Array,
  options: MeasureOptions & { ruleset?: RulesetId } = {},
): Promise<GradedRecording> {
  try {
    const measured = await threads.measure(bytes, options);
    return { verdict: decideRecording(measured.measurements, options.ruleset), measured, refusal: null };
  } catch (error) {
    if (!(error instanceof UndecodableAudioError)) throw error;
    return { verdict: undecodableVerdict(options.ruleset), measured: null, refusal: error.message };
  }
}
