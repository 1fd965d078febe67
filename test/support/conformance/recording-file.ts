import { speechFile } from '../stored-voices';

/** A recording as the library sends it; no two are alike. */
export function recordingFile(): File {
  return new File([new Uint8Array(speechFile())], 'take.wav');
}
