import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';

/** The channel on which every process receives every change. */
export const CHANGE_CHANNEL = 'greenroom_key_change';

/** A message of PostgreSQL has less than 8,000 bytes; a digest has 64, and a comma. */
const IDS_PER_MESSAGE = 100;

@Injectable()
export class KeyChangeRepository {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * Notifies every process that keys or accounts have changed, if and when the caller's transaction commits.
   *
   * @param requestedBy the process that waits for acknowledgements, or null
   * @returns numbers of the messages
   */
  async notify(ids: readonly string[], requestedBy: string | null, em: EntityManager): Promise<number[]> {
    const messages: string[] = [];
    for (let start = 0; start < ids.length; start += IDS_PER_MESSAGE) {
      messages.push(ids.slice(start, start + IDS_PER_MESSAGE).join());
    }
    const rows = await em.query<{ number: string }[]>(
      `SELECT m.number, pg_notify($1, json_build_object('number', m.number, 'ids', m.ids, 'requestedBy', $3::text)::text)
       FROM (SELECT nextval('key_change_number') AS number, ids FROM unnest($2::text[]) AS ids) m`,
      [CHANGE_CHANNEL, messages, requestedBy],
    );
    return rows.map(({ number }) => Number(number));
  }

  /** Processes with a heartbeat within `withinMs`. */
  async listLiveProcesses(withinMs: number): Promise<string[]> {
    const rows = await this.dataSource.query<{ id: string }[]>(
      `SELECT id FROM api_process WHERE seen_at > clock_timestamp() - make_interval(secs => $1 / 1000.0)`,
      [withinMs],
    );
    return rows.map(({ id }) => id);
  }
}
