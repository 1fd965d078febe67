import { SharedVoiceRepository, type SharedVoiceFilter } from '@app/database/voices/shared-voice.repository';
import type { Voice } from '@app/database/voices/voice.entity';
import { Injectable } from '@nestjs/common';

export interface SharedVoicePage {
  voices: Voice[];
  hasMore: boolean;
  total: number;
}

/** The catalogue: voices that staff have shared with every account. */
@Injectable()
export class SharedVoicesService {
  constructor(private readonly shared: SharedVoiceRepository) {}

  /** @param page from 0 */
  async list(
    filter: SharedVoiceFilter,
    { page, size }: { page: number; size: number },
  ): Promise<SharedVoicePage> {
    const offset = page * size;
    const { voices, total } = await this.shared.list(filter, { offset, limit: size });
    return { voices, hasMore: offset + voices.length < total, total };
  }
}
