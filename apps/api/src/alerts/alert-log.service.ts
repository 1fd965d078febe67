import {
  AlertMessageRepository,
  type AlertMessageFilter,
  type LoggedMessage,
  type MessagePosition,
} from '@app/database/alerts/alert-message.repository';
import { ListReader } from '@app/database/list-reader';
import { DomainError } from '@app/domain/errors';
import { Injectable } from '@nestjs/common';
import {
  readPage,
  toPage,
  type ListIdentity,
  type Page,
  type PageQuery,
  type Position,
} from '../http/pagination';

/** What was told to whom. */
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
    const position = after && toPosition(after);
    const [rows, total] = await this.reader.read((em) =>
      Promise.all([
        this.messages.list(filter, { after: position, limit: limit + 1 }, em),
        this.messages.count(filter, em),
      ]),
    );
    return toPage(rows, limit, list, total, ({ position: at, id }) => [at, id]);
  }
}

/** The position in a cursor is text that any client can write. */
function toPosition([at, id]: Position): MessagePosition {
  const found = { at: String(at), id: String(id) };
  if (Number.isNaN(Date.parse(found.at)) || !/^\d{1,18}$/.test(found.id))
    throw new DomainError('invalid_cursor', { reason: 'it is damaged' }, { param: 'cursor' });
  return found;
}
