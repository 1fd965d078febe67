import { AudioThreads } from '@app/audio/threads/audio-threads';
import { AudioTaskCrashedError, AudioTaskTimeoutError } from '@app/audio/threads/audio-threads.error';
import type { InspectedAudio } from '@app/audio/codecs/decode-audio';
import { UndecodableAudioError } from '@app/audio/codecs/undecodable-audio.error';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';

/** Decodes uploaded recordings in a thread, one at a time: what is not audio is refused before a voice has it. */
@Injectable()
export class RecordingInspector implements OnApplicationShutdown {
  private readonly threads = new AudioThreads({ threads: 1, idleThreads: 0 });

  async onApplicationShutdown(): Promise<void> {
    await this.threads.close();
  }

  /**
   * @param bytes handed over
   * @throws UndecodableAudioError
   */
  async inspect(bytes: Uint8Array): Promise<InspectedAudio> {
    try {
      return await this.threads.inspect(bytes);
    } catch (error) {
      if (error instanceof AudioTaskTimeoutError || error instanceof AudioTaskCrashedError)
        throw new UndecodableAudioError('a file that cannot be decoded with reasonable effort', {
          cause: error,
        });
      throw error;
    }
  }
}
