import { ListReader } from '@app/database/list-reader';
import { STAFF_VOICE_ORDERS } from '@app/database/reviews/staff-voice-filter';
import { StaffVoiceRepository } from '@app/database/reviews/staff-voice.repository';
import { isPublicId } from '@app/domain/common/public-id';
import { Injectable } from '@nestjs/common';
import { toPage, type ListIdentity, type Page } from '../http/pagination';
import { readSortedPage } from '../http/sorted-list';
import { toVoiceFilter, type VoiceListQuery } from './staff-voice-query.dto';
import { voiceNotFound } from './voices.service';
import {
  toStaffVoiceResponse,
  toStaffVoiceDetail,
  type StaffVoiceResponse,
  type StaffVoiceDetailResponse,
} from './staff-voice.dto';

/** Voices of all accounts, as staff see them. */
@Injectable()
export class StaffVoiceReader {
  constructor(
    private readonly voices: StaffVoiceRepository,
    private readonly reader: ListReader,
  ) {}

  async list(query: VoiceListQuery): Promise<Page<StaffVoiceResponse>> {
    const filter = toVoiceFilter(query);
    const list: ListIdentity = { name: 'voices', filter: { ...filter }, sort: query.sort };
    const page = readSortedPage(STAFF_VOICE_ORDERS, query.sort, query, list, isPublicId);
    const [rows, total] = await this.reader.read((em) =>
      Promise.all([
        this.voices.list(filter, { ...page, limit: page.limit + 1 }, em),
        this.voices.count(filter, null, em),
      ]),
    );
    const found = toPage(rows, page.limit, list, total, ({ position, id }) => [position, id]);
    return { ...found, items: found.items.map(toStaffVoiceResponse) };
  }

  /** A voice with everything that is known of it. */
  async get(id: string): Promise<StaffVoiceDetailResponse> {
    const record = isPublicId(id) ? await this.voices.find(id) : null;
    if (!record) throw voiceNotFound(id);
    return toStaffVoiceDetail(record);
  }
}
