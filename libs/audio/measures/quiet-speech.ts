import type { Stretch } from '@app/domain/reviews/recording-places';
import { type SpeechFrames, toSampleScale } from '../signal/speech-frames';
import { powerDb } from '../signal/statistics';

/** 10 dB under the lower end of what to aim for. */
const TOO_QUIET_DB = -33;
const FRAMES_PER_SEC = 100;
/** A second with less speech than this is a pause. */
const FEWEST_ACTIVE_FRAMES = 30;

/** The seconds whose speech is far too quiet, counted from the first frame. */
export function findQuietSpeech({ active, power, count }: SpeechFrames): Stretch[] {
  const quiet: Stretch[] = [];
  for (let from = 0; from < count; from += FRAMES_PER_SEC) {
    const to = Math.min(count, from + FRAMES_PER_SEC);
    let [sum, frames] = [0, 0];
    for (let frame = from; frame < to; frame++) {
      if (!active[frame]) continue;
      sum += power[frame]!;
      frames++;
    }
    if (frames < FEWEST_ACTIVE_FRAMES || powerDb(toSampleScale(sum / frames)) >= TOO_QUIET_DB) continue;
    quiet.push({ fromSecs: from / FRAMES_PER_SEC, toSecs: to / FRAMES_PER_SEC });
  }
  return quiet;
}
