import { ListReader } from '@app/database/list-reader';
import { STAFF_VOICE_ORDERS, type StaffVoiceFilter } from '@app/database/voices/staff-voice-filter';
import {
  StaffVoiceRepository,
  type VoiceRecord,
  type VoiceRow,
} from '@app/database/voices/staff-voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { voiceNotFound } from '@app/domain/voices/voice-not-found';

/** Voices of all accounts, as staff see them. */
@Injectable()
export class StaffVoiceReader {
  constructor(
    private readonly voices: StaffVoiceRepository,
    private readonly reader: ListReader,
  ) {}

  async list(filter: StaffVoiceFilter, query: PageQuery & { sort: string }): Promise<Page<VoiceRow>> {
    const list: ListIdentity = { name: 'voices', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(STAFF_VOICE_ORDERS, query.sort, query, list, isPublicId);
    const readPage = (em?: EntityManager) =>
      Promise.all([
        this.voices.list(filter, { ...page, limit: page.limit + 1 }, em),
        this.voices.count(filter, null, em),
      ]);
    // The bounds of a credential hold as they are now, which a replica may not know.
    const [rows, total] = await (filter.withinCredential === undefined
      ? this.reader.read(readPage)
      : readPage());
    return toPage(rows, page.limit, list, total, ({ position, id }) => [position, id]);
  }

  /** A voice with everything that is known of it. */
  async get(id: string): Promise<VoiceRecord> {
    const record = isPublicId(id) ? await this.voices.find(id) : null;
    if (!record) throw voiceNotFound(id);
    return record;
  }
}
