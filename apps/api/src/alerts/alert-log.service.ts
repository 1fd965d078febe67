import {
  AlertMessageRepository,
  type AlertMessageFilter,
  type LoggedMessage,
} from '@app/database/deliveries/alert-message.repository';
import { ListReader } from '@app/database/list-reader';
import { Injectable } from '@nestjs/common';
import { readPage, toPage, type ListIdentity, type Page, type PageQuery } from '../http/pagination';
import { toPosition } from '../http/sorted-list';

/** Who was notified of what. */
@Injectable()
export class AlertLogService {
  constructor(
    private readonly messages: AlertMessageRepository,
    private readonly reader: ListReader,
  ) {}

  /** One page, newest first. */
  async list(filter: AlertMessageFilter, query: PageQuery): Promise<Page<LoggedMessage>> {
    const list: ListIdentity = { name: 'alert-messages', filter: { ...filter } };
    const { limit, after } = readPage(query, list, 2);
    const position = after && toPosition(after, 'timestamptz', list, isNumber);
    const [rows, total] = await this.reader.readOfCell((em) =>
      Promise.all([
        this.messages.list(
          filter,
          { after: position && { at: position.value, id: position.id }, limit: limit + 1 },
          em,
        ),
        this.messages.count(filter, em),
      ]),
    );
    return toPage(rows, limit, list, total, ({ position: at, id }) => [at, id]);
  }
}

const isNumber = (text: string) => /^\d{1,18}$/.test(text);
